"""Errors of calls, and when a call is tried again: the rules of client/README.md, "Calls and retries"."""

import pickle
import threading
import time
import unittest

import dragoman
import grpc
from dragoman._errors import make_error
from dragoman._retry import RetryBudget, RetryState
from scripted import ScriptedServer, bracketed, fail, retry_info, violation

BUSY = grpc.StatusCode.RESOURCE_EXHAUSTED
AWAY = grpc.StatusCode.UNAVAILABLE


def refusing(times, *details, code=BUSY, **arguments):
    """A handler that refuses the first calls."""

    def handle(request, context, call):
        if call < times:
            fail(context, code, "the queue is full", *details, **arguments)
        return bracketed(request)

    return handle


class Errors(unittest.TestCase):
    def error_of(self, *arguments, **keywords):
        with ScriptedServer(refusing(10**6, *arguments, **keywords)) as server:
            with dragoman.Client(server.address, retry=dragoman.RetryPolicy(max_attempts=1)) as client:
                with self.assertRaises(dragoman.StatusError) as raised:
                    client.translate("Hallo")
                return raised.exception

    def test_every_code_has_its_exception(self):
        for kind in dragoman.StatusError.__subclasses__():
            error = self.error_of(code=grpc.StatusCode[kind.code])
            self.assertIs(type(error), kind)
            self.assertEqual((error.code, error.message), (kind.code, "the queue is full"))
        self.assertIs(type(self.error_of(code=grpc.StatusCode.DATA_LOSS)), dragoman.StatusError)

    def test_violations_name_their_fields(self):
        error = self.error_of(violation("decoding.beam_size", "found 99"), code=grpc.StatusCode.INVALID_ARGUMENT)
        self.assertEqual(error.violations, [("decoding.beam_size", "found 99")])
        self.assertEqual(str(error), "INVALID_ARGUMENT: the queue is full (decoding.beam_size: found 99)")
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), str(again), again.violations), (type(error), str(error), error.violations))

    def test_the_hint_is_the_pushback_else_retry_info(self):
        self.assertEqual(self.error_of(retry_info(1.5)).retry_after, 1.5)
        self.assertEqual(self.error_of(retry_info(1.5), pushback="250").retry_after, 0.25)
        self.assertIsNone(self.error_of().retry_after)
        for never in ("-1", "x", "99999999999"):
            error = self.error_of(retry_info(1), pushback=never)
            self.assertEqual((error.retry_after, error.never_retry), (None, True), never)

    def test_no_server(self):
        with ScriptedServer() as server:
            pass
        with dragoman.Client(server.address, retry=dragoman.RetryPolicy(max_attempts=2, initial_backoff=0.01)) as client:
            with self.assertRaises(dragoman.Unavailable):
                client.translate("Hallo")


class Retries(unittest.TestCase):
    def test_a_refusal_is_tried_again_when_the_server_says(self):
        with ScriptedServer(refusing(2, pushback="100")) as server, dragoman.Client(server.address) as client:
            begin = time.monotonic()
            self.assertEqual(str(client.translate("Hallo")), "<Hallo>")
            self.assertGreaterEqual(time.monotonic() - begin, 0.2)
            self.assertEqual(len(server.requests), 3)

    def test_unavailable_is_tried_again_and_other_codes_are_not(self):
        for code, calls in ((AWAY, 2), (grpc.StatusCode.INTERNAL, 1), (grpc.StatusCode.INVALID_ARGUMENT, 1)):
            with ScriptedServer(refusing(1, code=code)) as server, dragoman.Client(server.address) as client:
                try:
                    client.translate("Hallo")
                except dragoman.StatusError as error:
                    self.assertEqual(error.code, code.name)
                self.assertEqual(len(server.requests), calls)

    def test_never_means_never(self):
        with ScriptedServer(refusing(9, pushback="-1")) as server, dragoman.Client(server.address) as client:
            self.assertRaises(dragoman.ResourceExhausted, client.translate, "Hallo")
            self.assertEqual(len(server.requests), 1)

    def test_a_wait_beyond_the_deadline_is_not_begun(self):
        with ScriptedServer(refusing(9, pushback="60000")) as server, dragoman.Client(server.address) as client:
            begin = time.monotonic()
            self.assertRaises(dragoman.ResourceExhausted, client.translate, "Hallo", timeout=5)
            self.assertLess(time.monotonic() - begin, 5)

    def test_the_timeout_covers_all_attempts(self):
        with ScriptedServer(refusing(10**6, pushback="50")) as server:
            patient = dragoman.RetryPolicy(patient=True)
            with dragoman.Client(server.address, retry=patient) as client:
                begin = time.monotonic()
                # Which of the two it is depends on whether a wait ended late.
                either = (dragoman.ResourceExhausted, dragoman.DeadlineExceeded)
                self.assertRaises(either, client.translate, "Hallo", timeout=2)
                self.assertGreater(time.monotonic() - begin, 1)
                self.assertGreater(len(server.requests), 5)

    def test_a_message_too_large_is_not_sent_twice(self):
        error = make_error("RESOURCE_EXHAUSTED", "Received message larger than max (9 vs. 5)")
        state = RetryState(dragoman.RetryPolicy(), RetryBudget(dragoman.RetryPolicy()), deadline=1e9)
        self.assertIsNone(state.after_failure(error, now=0))

    def test_the_budget_is_shared_and_refilled(self):
        policy = dragoman.RetryPolicy(budget=2, budget_refill=0.5)
        budget = RetryBudget(policy)
        error = make_error("UNAVAILABLE", "away")

        def retries():
            return RetryState(policy, budget, deadline=1e9).after_failure(error, now=0) is not None

        self.assertEqual([retries() for _ in range(3)], [True, True, False])
        budget.refill()
        self.assertFalse(retries())
        budget.refill()
        self.assertEqual([retries(), retries()], [True, False])

    def test_a_patient_client_waits_for_a_server_that_has_answered_before(self):
        policy = dragoman.RetryPolicy(max_attempts=2, budget=1, initial_backoff=1, max_backoff=4, patient=True)
        budget = RetryBudget(policy)
        error = make_error("UNAVAILABLE", "away")
        state = RetryState(policy, budget, deadline=1e9)
        self.assertEqual([state.after_failure(error, now=0) is None for _ in range(2)], [False, True])
        self.assertTrue(RetryBudget(dragoman.RetryPolicy(answered=True)).answered)
        budget.refill()
        state = RetryState(policy, budget, deadline=1e9)
        for most in (1, 2, 4, 4, 4):
            delay = state.after_failure(error, now=0)
            self.assertTrue(most / 2 <= delay <= most, (delay, most))
        self.assertIsNone(RetryState(policy, budget, deadline=1).after_failure(error, now=0.9))

    def test_backoff_grows_up_to_its_limit(self):
        policy = dragoman.RetryPolicy(max_attempts=9, initial_backoff=1, max_backoff=5)
        state = RetryState(policy, RetryBudget(policy), deadline=1e9)
        error = make_error("UNAVAILABLE", "away")
        for most in (1, 2, 4, 5, 5):
            delay = state.after_failure(error, now=0)
            self.assertTrue(most / 2 <= delay <= most, delay)

    def test_a_bare_cancelled_of_a_server_that_ends_is_tried_again(self):
        def handle(request, context, call):
            if call == 0:
                context.abort(grpc.StatusCode.CANCELLED, "")
            return bracketed(request)

        with ScriptedServer(handle) as server, dragoman.Client(server.address) as client:
            self.assertEqual(str(client.translate("Hallo")), "<Hallo>")

    def test_another_server_is_asked(self):
        with ScriptedServer(refusing(10**6, code=AWAY)) as one, ScriptedServer() as other:
            with dragoman.Client(f"{one.address},{other.address}") as client:
                for _ in range(8):
                    self.assertEqual(str(client.translate("Hallo")), "<Hallo>")
            self.assertLess(len(one.requests), 8)
            self.assertEqual(len(other.requests), 8)

    def test_closing_the_client_ends_its_calls(self):
        arrived, leave = threading.Event(), threading.Event()

        def handle(request, context, call):
            arrived.set()
            leave.wait(30)
            return bracketed(request)

        with ScriptedServer(handle) as server:
            client = dragoman.Client(server.address)
            caught = []

            def call():
                try:
                    client.translate("Hallo")
                except dragoman.StatusError as error:
                    caught.append(error)

            caller = threading.Thread(target=call)
            caller.start()
            self.assertTrue(arrived.wait(30))
            client.close()
            caller.join(30)
            leave.set()
            self.assertEqual([error.code for error in caught], ["CANCELLED"])
            self.assertEqual(len(server.requests), 1)


if __name__ == "__main__":
    unittest.main()
