"""Whether and when a failed call is tried again: the rules of the C++ client's retry policy (client/README.md)."""

from __future__ import annotations

import dataclasses
import random
import threading
from typing import Optional

from ._errors import StatusError


@dataclasses.dataclass(frozen=True)
class RetryPolicy:
    """Only RESOURCE_EXHAUSTED and UNAVAILABLE are tried again: then the server has done nothing of the call."""

    max_attempts: int = 5
    """The first attempt included; 1 means no retries."""
    initial_backoff: float = 0.1
    """Seconds; a random 50 to 100 % of it, where the server gives no time."""
    max_backoff: float = 5.0
    multiplier: float = 2.0
    budget: float = 20.0
    """Retries that a client has at first. Each costs 1, and each successful call gives `budget_refill` back."""
    budget_refill: float = 0.1
    patient: bool = False
    """A refusal that says when to come back costs neither attempts nor budget: bulk work would rather wait than fail."""

    def __post_init__(self) -> None:
        if self.max_attempts < 1:
            raise ValueError(f"max_attempts is {self.max_attempts}, expected at least 1")


class RetryBudget:
    """The retries that one client has left. Thread-safe."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._capacity = self._left = policy.budget
        self._refill = policy.budget_refill
        self._lock = threading.Lock()

    def spend(self) -> bool:
        """False, and spends nothing, when there is less than one retry left."""
        with self._lock:
            # A hair less than 1, because ten times 0.1 is less than 1.
            if self._left < 1 - 1e-9:
                return False
            self._left -= 1
            return True

    def refill(self) -> None:
        with self._lock:
            self._left = min(self._capacity, self._left + self._refill)


class RetryState:
    """One call across its attempts."""

    def __init__(self, policy: RetryPolicy, budget: RetryBudget, deadline: float) -> None:
        self._policy = policy
        self._budget = budget
        self._deadline = deadline
        self._attempts = 0

    def after_failure(self, error: StatusError, now: float, received: bool = False) -> Optional[float]:
        """Seconds to wait before the next attempt, or None: give up. `received`: something of a stream came."""
        if error.code not in ("RESOURCE_EXHAUSTED", "UNAVAILABLE") or error.is_too_large:
            return None
        if received or error.never_retry:
            return None
        policy = self._policy
        is_free = policy.patient and error.retry_after is not None
        if not is_free and self._attempts + 1 >= policy.max_attempts:
            return None
        if error.retry_after is not None:
            # At least what the server asked for; a little more, so that not all come back at once.
            delay = error.retry_after * random.uniform(1, 1.2)
        else:
            grown = policy.initial_backoff * policy.multiplier**self._attempts
            delay = min(grown, policy.max_backoff) * random.uniform(0.5, 1)
        if now + delay >= self._deadline:
            return None
        if is_free:
            return delay
        if not self._budget.spend():
            return None
        self._attempts += 1
        return delay
