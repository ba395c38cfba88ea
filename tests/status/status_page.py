#!/usr/bin/env python3
"""The status page of a daemon under load, in a headless Chromium.

    tests/status/status_page.py [--screenshot FILE]

Needs the Python package playwright and Debian's chromium (or playwright's own); without them the test
is skipped, and says so. tests/status/run.sh installs the package. With --screenshot it also writes the
picture that server/README.md shows, and then runs for a minute.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "attack"))
from harness import CLIENT, Daemon, Failed, ROOT, check, wait_until  # noqa: E402

TEXT = ROOT / "tests/data/german.txt"
CARDS = "models calls latency queue occupancy tokens steps stages beams refusals memory connections"
LARGEST_SCREENSHOT = 150_000


def skip(why):
    print(f"SKIPPED the status page in a browser: {why}")
    sys.exit(0)


def state(page, expected):
    """Waits for it. By the text, for the page's policy lets no test evaluate conditions in it."""
    page.locator("#state", has_text=re.compile(f"^{expected}$")).wait_for(timeout=30_000)


def now(page, card):
    return page.inner_text(f"#{card} .now")


def number(text):
    """Of "12 k of 131 k", say: what comes first."""
    words = text.split()
    return float(words[0]) * {"k": 1e3, "M": 1e6}.get(words[1] if len(words) > 1 else "", 1)


def check_page(page, requests, problems, daemon):
    """Of a page that is up, with a load on the daemon."""
    state(page, "ready")
    points = page.locator("#calls svg path[style]").first
    drawn = wait_until(lambda: (points.get_attribute("d") or "").count("L") >= 2, 60, step=0.5)
    check(drawn, f"the plot of calls: {page.inner_html('#calls')}")
    found = page.eval_on_selector_all("section", "all => all.map(s => s.id)")
    check(sorted(found) == sorted(CARDS.split()), f"cards: {found}")
    check(number(now(page, "calls")) > 0, f"calls: {now(page, 'calls')}")
    check(number(now(page, "tokens")) > 0, f"tokens: {now(page, 'tokens')}")
    check("%" in now(page, "occupancy"), f"occupancy: {now(page, 'occupancy')}")
    check("ms" in now(page, "latency"), f"latency: {now(page, 'latency')}")
    check("de-en" in page.inner_text("#models"), page.inner_text("#models"))
    stages = page.inner_text("#stages")
    for stage in ("tokenize", "queue", "encode", "slot_wait", "decode", "detokenize", "send"):
        check(stage in stages, f"stages: {stages}")
    check("NaN" not in page.inner_html("main"), "NaN on the page")
    host = f"http://{daemon.metrics}/"
    outside = [url for url in requests if not url.startswith(host) and not url.startswith("data:")]
    check(not outside, f"asked for {outside}")
    check(not problems, f"the browser says {problems}")


def colours(page):
    return page.evaluate("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")


def brightness(colour):
    return sum(int(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3])


def run(playwright, arguments):
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    flags = ("--cpu-workers", 1, "--lame-duck-seconds", 600, "--max-queue-segments", 60)
    with Daemon(*flags) as daemon:
        command = [CLIENT, "load", "--server", daemon.grpc, "--input", str(TEXT), "--json"]
        command += ["--concurrency", "24", "--duration", "600", "--beams", "1,2,4,4,8"]
        load = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            requests, problems = [], []
            page = browser.new_page(viewport={"width": 1160, "height": 800}, color_scheme="light")
            page.on("request", lambda request: requests.append(request.url))
            page.on("console", lambda message: problems.append(message.text))
            page.on("pageerror", lambda error: problems.append(str(error)))
            answer = page.goto(f"http://{daemon.metrics}/status")
            check(answer.status == 200, f"/status answers {answer.status}")
            check_page(page, requests, problems, daemon)

            light = colours(page)
            page.emulate_media(color_scheme="dark")
            dark = colours(page)
            check(brightness(light[0]) > brightness(light[1]), f"light: {light}")
            check(brightness(dark[0]) < brightness(dark[1]), f"dark: {dark}")
            page.emulate_media(color_scheme="light")

            # On a phone: one column, and nothing to scroll to the side but a wide table.
            page.set_viewport_size({"width": 360, "height": 740})
            width = page.evaluate("document.documentElement.scrollWidth")
            check(width <= 360, f"the page is {width} wide on a phone of 360")
            lefts = page.eval_on_selector_all("section", "all => all.map(s => s.getBoundingClientRect().left)")
            check(len(set(lefts)) == 1, f"columns on a phone: {sorted(set(lefts))}")

            if arguments.screenshot:
                page.set_viewport_size({"width": 1160, "height": 300})
                page.wait_for_timeout(60_000)
                page.screenshot(path=arguments.screenshot, full_page=True)
                size = pathlib.Path(arguments.screenshot).stat().st_size
                check(size < LARGEST_SCREENSHOT, f"the screenshot has {size} bytes")

            # The daemon's end is seen: first that it leaves, then that nobody answers.
            daemon.signal()
            state(page, "draining")
            daemon.kill()
            state(page, "no answer")
            check("since" in page.inner_text("#age"), page.inner_text("#age"))
        finally:
            load.kill()
            load.wait()
            browser.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenshot")
    arguments = parser.parse_args()
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        skip("no Python package playwright")
    if shutil.which("chromium") is None:
        skip("no chromium")
    with sync_playwright() as playwright:
        try:
            run(playwright, arguments)
        except (Failed, Error) as error:
            print(f"FAILED the status page: {error}")
            return 1
    print("passed: the status page, light and dark, wide and on a phone")
    return 0


if __name__ == "__main__":
    sys.exit(main())
