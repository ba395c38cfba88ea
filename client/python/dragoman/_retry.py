"""Decides whether and when to retry a failed call, by the rules of the C++ client (client/README.md)."""

from __future__ import annotations

import dataclasses
import random
import threading
from typing import Optional

from ._errors import StatusError


@dataclasses.dataclass(frozen=True)
class RetryPolicy:
    """Settings of retries. Only RESOURCE_EXHAUSTED and UNAVAILABLE are retried: the server has not done any work."""

    max_attempts: int = 5
    """The maximum number of attempts, including the first one. 1 means no retries."""
    initial_backoff: float = 0.1
    """The first wait in seconds, of which a random 50 to 100 % is used. A time from the server replaces it."""
    max_backoff: float = 5.0
    multiplier: float = 2.0
    budget: float = 20.0
    """The maximum budget of a client for retries. A retry takes 1, and a successful call adds `budget_refill`."""
    budget_refill: float = 0.1
    patient: bool = False
    """For bulk work: a refusal that says when to retry uses neither an attempt nor budget, so only the timeout ends the
    retries. UNAVAILABLE has the same effect if a call of the client has succeeded before."""
    answered: bool = False
    """The server has been seen to run (NodeDaemon), which counts as a call that succeeded."""

    def __post_init__(self) -> None:
        if self.max_attempts < 1:
            raise ValueError(f"max_attempts is {self.max_attempts}, expected at least 1")


class RetryBudget:
    """The retry budget of one client. Thread-safe."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._capacity = self._left = policy.budget
        self._refill = policy.budget_refill
        self._lock = threading.Lock()
        self.answered = policy.answered
        """Whether any call has succeeded, or the policy says so."""

    def spend(self) -> bool:
        """Takes 1 from the budget. Returns False and takes nothing if less than 1 is left."""
        with self._lock:
            # The tolerance is for rounding errors: adding 0.1 ten times gives less than 1.
            if self._left < 1 - 1e-9:
                return False
            self._left -= 1
            return True

    def refill(self) -> None:
        """Adds `budget_refill`. Called after each successful call."""
        with self._lock:
            self.answered = True
            self._left = min(self._capacity, self._left + self._refill)


class RetryState:
    """Decides about the retries of one call."""

    def __init__(self, policy: RetryPolicy, budget: RetryBudget, deadline: float) -> None:
        self._policy = policy
        self._budget = budget
        self._deadline = deadline
        self._attempts = 0  # retries that used budget
        self._failures = 0  # all retries, for the backoff

    def after_failure(self, error: StatusError, now: float, received: bool = False) -> Optional[float]:
        """Returns the seconds to wait before the next attempt, or None if the call must give up.

        `received` says that a message of the call has been received.
        """
        if error.code not in ("RESOURCE_EXHAUSTED", "UNAVAILABLE") or error.is_too_large:
            return None
        if received or error.never_retry:
            return None
        policy = self._policy
        is_away = error.code == "UNAVAILABLE" and self._budget.answered and policy.max_attempts > 1
        is_free = policy.patient and (error.retry_after is not None or is_away)
        if not is_free and self._attempts + 1 >= policy.max_attempts:
            return None
        if error.retry_after is not None:
            # Waits the server's time plus a random part, so that not all clients return at the same time.
            delay = error.retry_after * random.uniform(1, 1.2)
        else:
            grown = policy.initial_backoff * policy.multiplier**self._failures
            delay = min(grown, policy.max_backoff) * random.uniform(0.5, 1)
        if now + delay >= self._deadline:
            return None
        self._failures += 1
        if is_free:
            return delay
        if not self._budget.spend():
            return None
        self._attempts += 1
        return delay
