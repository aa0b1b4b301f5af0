"""The pages of ``metarag serve``: ask, read, disagree, compare."""
