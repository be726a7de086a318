"""What the examined interpreter is asked to run, as text: it must work from Python 2.7 to the newest, and import little.

It prints one line of JSON. Nothing of the examined environment is imported but the standard library: it starts without
``site``, whose ``.pth`` files may hold any code, slow or broken, and adds the folders that ``site`` would have added.
Exit status 3 means that this did not work and that it wants to be started with ``site``.
"""

from __future__ import annotations

__all__ = ["SCRIPT"]

SCRIPT = r"""
import sys
sys.path[:] = [p for p in sys.path if p]
import os
if sys.flags.no_site:
    def paths_only(folder, name, known):
        try:
            f = open(os.path.join(folder, name), 'rb')
            lines = f.read(1 << 20).decode('utf-8', 'replace').splitlines()
            f.close()
        except Exception:
            return known
        for line in lines:
            line = line.strip()
            if line and not line.startswith(('#', 'import ', 'import\t')):
                path = os.path.abspath(os.path.join(folder, line))
                if path not in sys.path and os.path.exists(path):
                    sys.path.append(path)
        return known
    try:
        import site
        site.addpackage = paths_only
        site.addsitepackages(site.venv(site.removeduppaths()))
    except Exception:
        sys.exit(3)
import json
try:
    import sysconfig
    v = sysconfig.get_config_var
    platform = sysconfig.get_platform()
    soabi, multiarch, nogil = v('SOABI'), v('MULTIARCH'), v('Py_GIL_DISABLED')
    paths = sysconfig.get_paths()
except Exception:
    platform = soabi = multiarch = nogil = None
    paths = {}
i = sys.version_info
version = '%d.%d.%d' % i[:3]
if i[3] != 'final':
    version += {'alpha': 'a', 'beta': 'b', 'candidate': 'rc'}.get(i[3], '') + str(i[4])
name = getattr(getattr(sys, 'implementation', None), 'name', None)
if name is None:
    name = 'pypy' if hasattr(sys, 'pypy_version_info') else 'cpython'
flags = getattr(sys, 'abiflags', None)
if flags is None and i[0] == 2 and name == 'cpython':
    flags = ('d' if hasattr(sys, 'gettotalrefcount') else '') + 'm' + ('u' if sys.maxunicode > 65535 else '')
libc = libc_version = None
try:
    text = os.confstr('CS_GNU_LIBC_VERSION')
    if text:
        libc, libc_version = text.split()[:2]
except Exception:
    pass
if libc is None and 'musl' in '%s %s' % (soabi, multiarch):
    libc = 'musl'
prefix = sys.prefix
base = getattr(sys, 'base_prefix', getattr(sys, 'real_prefix', prefix))
config = {}
try:
    f = open(os.path.join(prefix, 'pyvenv.cfg'))
    for line in f.read(65536).splitlines():
        key, eq, value = line.partition('=')
        if eq:
            config[key.strip().lower()] = value.strip()
    f.close()
except Exception:
    pass
user = None
try:
    import site
    if base == prefix or config.get('include-system-site-packages', '').lower() == 'true':
        user = site.getusersitepackages()
except Exception:
    pass
gil = getattr(sys, '_is_gil_enabled', None)
machine = None
try:
    machine = os.uname()[4]
except Exception:
    pass
print(json.dumps({
    'version': version, 'text': sys.version, 'implementation': name, 'abiflags': flags, 'soabi': soabi,
    'multiarch': multiarch, 'platform': platform, 'machine': machine, 'bits': 64 if sys.maxsize > 2 ** 32 else 32,
    'free_threaded': bool(nogil), 'gil_enabled': bool(gil()) if gil else True,
    'debug': hasattr(sys, 'gettotalrefcount'), 'libc': libc, 'libc_version': libc_version,
    'executable': sys.executable, 'prefix': prefix, 'base_prefix': base, 'venv': config if base != prefix else None,
    'conda': os.path.isdir(os.path.join(prefix, 'conda-meta')),
    'externally_managed': os.path.exists(os.path.join(paths.get('stdlib', ''), 'EXTERNALLY-MANAGED')) and base == prefix,
    'path': [p for p in sys.path if os.path.isabs(p)], 'user_site': user,
    'purelib': paths.get('purelib'), 'platlib': paths.get('platlib'), 'stdlib': paths.get('stdlib'),
}))
"""
