"""How Sphinx builds the site: `make docs`."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "examples")]
os.environ.setdefault("SELECTRON_QUICK", "")

import blocks  # noqa: E402
import classes  # noqa: E402
import docstrings  # noqa: E402
import formulas  # noqa: E402
import pages  # noqa: E402

import selectron  # noqa: E402

project = "Selectron"
author = "The Selectron developers"
project_copyright = author
version = release = selectron.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
smartquotes = False  # options begin with two hyphens
exclude_patterns = ["_build", "gallery/GALLERY_HEADER.*"]

nitpicky = True
nitpick_ignore_regex = [("py:class", ".*")]  # types of other packages, and inner ones
default_role = "literal"

autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"  # the side of a page has room for names alone
napoleon_google_docstring = False
strip_signature_backslash = True  # of names such as classes_
napoleon_use_param = False  # types are prose
napoleon_custom_sections = [("Attributes", "params_style")]  # properties have entries of their own

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = f"Selectron {release}"
html_static_path = ["_static"]
html_css_files = ["selectron.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 8,
    "navbar_persistent": ["search-button"],
    "collapse_navigation": True,
    "article_header_start": ["breadcrumbs"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"benchmarks": [], "reproduction": [], "start": []}

linkcheck_ignore = [r"https?://"]  # there may be no network where the site is built

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "within_subsection_order": "FileNameSortKey",
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,  # its page would load scripts from elsewhere
    "show_signature": False,
    "min_reported_time": 1e9,
    "copyfile_regex": r".*\.rst",
    "doc_module": ("selectron",),
    "backreferences_dir": None,
}


def setup(app):
    """Connect the modules of `_ext`."""
    app.connect("config-inited", pages.write)
    app.connect("source-read", pages.adapted)
    app.connect("doctree-read", blocks.choose)
    app.connect("sphinx-click-process-description", blocks.as_code)
    app.connect("autodoc-process-docstring", docstrings.process, priority=100)  # before napoleon
    app.connect("autodoc-process-signature", classes.signature)
    app.add_html_math_renderer("mathml", (formulas.inline, None), (formulas.display, None))
