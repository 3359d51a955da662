"""Write mail.jsonl: artificial mail, with a spam campaign that changes every 1,000 messages."""

import json
import random
import sys
from pathlib import Path

HAM = [
    "meeting",
    "lunch",
    "report",
    "draft",
    "train",
    "ticket",
    "family",
    "photo",
    "garden",
    "school",
    "review",
    "thanks",
]
CAMPAIGNS = [
    ["pills", "cheap", "doctor", "weight", "offer", "pharmacy"],
    ["prize", "lottery", "winner", "claim", "million", "bank"],
    ["crypto", "invest", "profit", "wallet", "double", "coin"],
]
COMMON = [
    "hello",
    "please",
    "today",
    "the",
    "for",
    "your",
    "with",
    "and",
    "now",
    "see",
    "new",
    "here",
]


def messages(n, seed=0):
    """Yield n messages; two of five are spam."""
    rng = random.Random(seed)
    for i in range(n):
        spam = rng.random() < 0.4
        words = CAMPAIGNS[i // 1_000 % 3] if spam else HAM
        text = [rng.choice(words if rng.random() < 0.35 else COMMON) for _ in range(12)]
        yield {
            "id": f"m{i}",
            "subject": " ".join(text[:3]),
            "text": " ".join(text[3:]),
            "links": rng.choice([0, 1, 2, 5]) if spam else rng.choice([0, 0, 0, 1]),
            "label": "spam" if spam else "ham",
        }


def main(folder):
    """Write the file into a folder."""
    lines = [json.dumps(message) for message in messages(3_000)]
    (folder / "mail.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
