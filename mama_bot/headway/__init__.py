"""Does work get anywhere?"""
