"""A visit of the page in a browser: what it asks for, what the browser complains of, and where things are on it."""

import contextlib
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "attack"))
from harness import check, wait_until  # noqa: E402

TEXT = "Das Wetter ist heute schön. Wo ist der nächste Bahnhof?"
# Sets a mark on the page if it is ever run as a script, whichever way it got there.
SCRIPTS = ("<img src=x onerror=window.injected=1>", "<script>window.injected=1</script>",
           "\"'><svg onload=window.injected=1>", "<a href=\"javascript:window.injected=1\">x</a>",
           "<iframe srcdoc=\"<script>parent.injected=1</script>\"></iframe>")

# Counts the translations that have ended, for a short one is over before anybody looks.
COUNT_ANSWERS = """() => {
    const progress = document.getElementById('progress');
    let busy = false;
    window.answers = 0;
    new MutationObserver(() => {
        if (busy && progress.hidden) ++window.answers;
        busy = !progress.hidden;
    }).observe(progress, {attributes: true});
    const target = document.getElementById('target');
    window.shown = new Set();
    new MutationObserver(() => shown.add(target.textContent)).observe(target, {childList: true, subtree: true});
}"""


class Visit:
    def __init__(self, context, base):
        self.base = base
        self.requests, self.problems = [], []
        self.page = context.new_page()
        self.answers = 0
        self.page.on("request", lambda request: self.requests.append(request))
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))

    def open(self, fragment=""):
        self.page.goto(self.base + fragment)
        self.page.evaluate(COUNT_ANSWERS)
        self.answers = 0
        return self

    def ready(self):
        self.page.locator("#server", has_text="Dragoman").wait_for()
        return self

    def find(self, selector, **filters):
        return self.page.locator(selector, **filters)

    def open_options(self):
        if not self.page.evaluate("document.getElementById('options').open"):
            self.page.click("#options summary")

    def type(self, text):
        """Puts a text into the field and waits for its whole translation."""
        self.page.fill("#source", text)
        return self.translation()

    def translation(self):
        """Waits for a translation that has ended since the last one, and returns what is shown."""
        check(wait_until(lambda: self.page.evaluate("window.answers") > self.answers, 30), "no translation has ended")
        self.answers = self.page.evaluate("window.answers")
        return self.page.inner_text("#target")

    def settle(self):
        """What has ended until now is not waited for."""
        self.answers = self.page.evaluate("window.answers")

    def translate(self):
        """Asks again for what stands there."""
        self.page.click("#go")
        return self.translation()

    def notice(self, pattern):
        self.page.locator("#alert", has_text=re.compile(pattern)).wait_for()
        self.settle()
        return self.page.inner_text("#alert")

    def marked(self, selector):
        return self.page.eval_on_selector_all(selector, "all => all.map(node => node.textContent)")

    def check_quiet(self, expected=()):
        """No request but ours, no script from outside, no complaint of the browser but those expected."""
        outside = [r.url for r in self.requests if not r.url.startswith(self.base) and not r.url.startswith("about:")]
        check(not outside, f"the page asked for {outside}")
        check(self.page.evaluate("window.injected") is None, "a script from outside has run")
        problems = [text for text in self.problems if not any(re.search(one, text) for one in expected)]
        check(not problems, f"the browser says {problems}")


@contextlib.contextmanager
def visit(browser, base, *, scheme="light", width=1180, height=860, locale="en-US"):
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": height}, locale=locale)
    context.set_default_timeout(15_000)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=base.rstrip("/"))
    try:
        yield Visit(context, base)
    finally:
        context.close()
