"""What people say of entries: the tests that no lint can make, and the record of who made them."""

from bank.reviews.checklist import CHECKLIST, HumanTest, human_tests
from bank.reviews.record import Review, append, read_reviews, reviews_file
from bank.reviews.standing import Standing, review_line, standing

__all__ = [
    "CHECKLIST",
    "HumanTest",
    "Review",
    "Standing",
    "append",
    "human_tests",
    "read_reviews",
    "review_line",
    "reviews_file",
    "standing",
]
