"""What a step costs, in accesses to what it keeps."""


class Counted:
    """An array that counts the accesses to its elements."""

    def __init__(self, array):
        self.array, self.accesses = array, 0

    def __len__(self):
        return len(self.array)

    def __getitem__(self, at):
        self.accesses += 1
        return self.array[at]

    def __setitem__(self, at, value):
        self.accesses += 1
        self.array[at] = value
