print("optrace")
