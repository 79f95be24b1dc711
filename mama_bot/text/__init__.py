"""The text base: one plain form, prose, sentences, lists of words. Pure, and linear in the length of the text."""
