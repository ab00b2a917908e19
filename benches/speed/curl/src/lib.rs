//! Nothing of its own: `build.py` links the archive that the dependency builds.
