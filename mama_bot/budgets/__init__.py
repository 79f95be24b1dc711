"""What may still be spent, and on whose account?"""
