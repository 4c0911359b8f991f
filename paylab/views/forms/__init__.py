"""paylab.views.forms"""
