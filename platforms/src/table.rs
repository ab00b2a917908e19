//! The platforms that libraries are built for, a row each: the only source for build, tests and documentation.

/// One platform.
#[derive(Debug, Clone, Copy)]
pub struct Platform {
    /// Rust's name of the target, and of its folder in `build/libs`.
    pub target: &'static str,
    /// As the documentation names it.
    pub title: &'static str,
    pub system: System,
    pub pointer_bits: u8,
    pub runner: Runner,
    /// The proofs that `make libs-check` runs on it.
    pub proofs: &'static [Proof],
    pub compiler: Compiler,
    /// The prefix of its ld, objcopy and ar, and Debian's package of them.
    pub binutils: (&'static str, &'static str),
    /// The processor in Go's words: GOARCH, and its build constraint.
    pub go: Go,
    /// True if packages for it have the sandbox: where developers work.
    pub sandbox: bool,
    /// The platform in the tag of the Python package's wheel, where it has one.
    pub wheel: Option<&'static str>,
    /// The same of the wheel with the sandbox, one for each program that needs no other file: the static one fits glibc too.
    pub sandbox_wheel: Option<&'static str>,
    /// Debian's names of the processor and of its folder for libraries, where there are packages for it.
    pub debian: Option<(&'static str, &'static str)>,
    /// The processor in the names of .rpm packages.
    pub rpm: Option<&'static str>,
    /// Built and tested where it can be, outside continuous integration, the C library only.
    pub best_effort: bool,
}

impl Platform {
    pub fn is_windows(&self) -> bool {
        matches!(self.system, System::Windows(_))
    }
}

/// Go's names of a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Go {
    pub arch: &'static str,
    /// The tag that Go sets for a program that may use what the library uses.
    pub tag: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Linux with glibc of this version or newer.
    Glibc(&'static str),
    Musl,
    /// Windows of this version or newer.
    Windows(&'static str),
}

/// The compiler and linker of C for a platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compiler {
    /// zig's, which has the symbols of every version of glibc, with its names of the target and the processor.
    Zig { target: &'static str, cpu: &'static str },
    /// The mingw compiler with this name.
    Mingw(&'static str),
}

/// The runner of a platform's programs on a Linux x86_64 machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// A root of Debian 11 for x86_64, the oldest that can still be installed.
    Debian11,
    /// A root of Debian's testing release with its newest Python; no platform's own.
    Newest,
    /// The i386 loader of Debian 11.
    Debian11I386,
    /// User emulation of the processor, over Debian's C library for it.
    QemuArm,
    QemuAarch64,
    /// Debian's musl loader.
    MuslLoader,
    /// Wine for 64-bit programs.
    Wine,
    /// Wine for 32-bit programs.
    Wine32,
    /// Nothing here.
    None,
}

/// The checks that run with a platform's libraries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The unit tests of the library's Rust.
    UnitTests,
    /// Every scenario of `tests/scenarios.json` through a C program.
    C,
    /// The same through C++, Go and Python.
    Cpp,
    Go,
    /// A Go program that is linked with `-static`, alone in an empty root.
    GoStatic,
    Python,
    /// Every endpoint with every fault of the sandbox, plain and TLS.
    AllFaults,
    /// Three endpoints with every fault.
    SomeFaults,
    /// The time that a cancel takes to end a call.
    Cancel,
}

impl Runner {
    /// As `scripts/runner.sh` names it.
    pub fn word(self) -> &'static str {
        self.names().0
    }

    /// The root of `scripts/roots.sh` that it needs.
    pub fn root(self) -> Option<&'static str> {
        self.names().1
    }

    /// Where its programs run, as the documentation names it.
    pub fn place(self) -> &'static str {
        self.names().2
    }

    fn names(self) -> (&'static str, Option<&'static str>, &'static str) {
        match self {
            Runner::Debian11 => ("debian11", Some("bullseye"), "Debian 11 (glibc 2.31)"),
            Runner::Newest => ("newest", Some("newest"), "Debian's testing release"),
            Runner::Debian11I386 => {
                ("debian11-i386", Some("bullseye-i386"), "the i386 loader of Debian 11 (glibc 2.31)")
            }
            Runner::QemuArm => ("qemu-arm", Some("armhf"), "QEMU's user emulation of arm"),
            Runner::QemuAarch64 => ("qemu-aarch64", Some("arm64"), "QEMU's user emulation of aarch64"),
            Runner::MuslLoader => ("musl", Some("musl"), "Debian's musl loader"),
            Runner::Wine => ("wine", Some("wine"), "Wine 10"),
            Runner::Wine32 => ("wine32", Some("wine32"), "Wine 10"),
            Runner::None => ("none", None, "nothing"),
        }
    }

    /// The emulator that runs its programs, where it has one.
    pub fn emulator(self) -> Option<String> {
        matches!(self, Runner::QemuArm | Runner::QemuAarch64).then(|| format!("{}-static", self.word()))
    }
}

/// The oldest glibc that the libraries run with: that of CentOS 7, which tills still run.
pub const GLIBC: &str = "2.17";

const AMD64: Go = Go { arch: "amd64", tag: "amd64" };
const I386: Go = Go { arch: "386", tag: "386" };
const ARM64: Go = Go { arch: "arm64", tag: "arm64" };
/// With GOARM=7, which is the default of a Go that compiles for another processor.
const ARMV7: Go = Go { arch: "arm", tag: "arm.7" };

pub const PLATFORMS: &[Platform] = &[
    Platform {
        target: "x86_64-unknown-linux-gnu",
        title: "Linux x86_64, glibc",
        system: System::Glibc(GLIBC),
        pointer_bits: 64,
        runner: Runner::Debian11,
        proofs: &[Proof::C, Proof::Cpp, Proof::Go, Proof::Python, Proof::SomeFaults, Proof::Cancel],
        compiler: Compiler::Zig { target: "x86_64-linux-gnu", cpu: "x86_64" },
        binutils: ("x86_64-linux-gnu-", "binutils-x86-64-linux-gnu"),
        go: AMD64,
        sandbox: true,
        wheel: Some("manylinux2014_x86_64"),
        sandbox_wheel: None,
        debian: Some(("amd64", "x86_64-linux-gnu")),
        rpm: Some("x86_64"),
        best_effort: false,
    },
    Platform {
        target: "i686-unknown-linux-gnu",
        title: "Linux i686, glibc",
        system: System::Glibc(GLIBC),
        pointer_bits: 32,
        runner: Runner::Debian11I386,
        proofs: &[Proof::C, Proof::SomeFaults, Proof::Cancel],
        compiler: Compiler::Zig { target: "x86-linux-gnu", cpu: "pentium4" },
        binutils: ("i686-linux-gnu-", "binutils-i686-linux-gnu"),
        go: I386,
        sandbox: true,
        wheel: Some("manylinux2014_i686"),
        sandbox_wheel: None,
        debian: Some(("i386", "i386-linux-gnu")),
        rpm: Some("i686"),
        best_effort: false,
    },
    Platform {
        target: "aarch64-unknown-linux-gnu",
        title: "Linux aarch64, glibc",
        system: System::Glibc(GLIBC),
        pointer_bits: 64,
        runner: Runner::QemuAarch64,
        proofs: &[Proof::C, Proof::Cancel],
        compiler: Compiler::Zig { target: "aarch64-linux-gnu", cpu: "generic" },
        binutils: ("aarch64-linux-gnu-", "binutils-aarch64-linux-gnu"),
        go: ARM64,
        sandbox: true,
        wheel: Some("manylinux2014_aarch64"),
        sandbox_wheel: None,
        debian: Some(("arm64", "aarch64-linux-gnu")),
        rpm: Some("aarch64"),
        best_effort: false,
    },
    Platform {
        target: "armv7-unknown-linux-gnueabihf",
        title: "Linux armv7 (hard float), glibc",
        system: System::Glibc(GLIBC),
        pointer_bits: 32,
        runner: Runner::QemuArm,
        proofs: &[Proof::C, Proof::Cancel],
        compiler: Compiler::Zig { target: "arm-linux-gnueabihf", cpu: "generic+v7a+vfp3-d32+thumb2-neon" },
        binutils: ("arm-linux-gnueabihf-", "binutils-arm-linux-gnueabihf"),
        go: ARMV7,
        sandbox: true,
        wheel: Some("manylinux2014_armv7l"),
        sandbox_wheel: None,
        debian: Some(("armhf", "arm-linux-gnueabihf")),
        rpm: Some("armv7hl"),
        best_effort: false,
    },
    Platform {
        target: "x86_64-unknown-linux-musl",
        title: "Linux x86_64, musl",
        system: System::Musl,
        pointer_bits: 64,
        runner: Runner::MuslLoader,
        proofs: &[Proof::C, Proof::GoStatic, Proof::SomeFaults, Proof::Cancel],
        compiler: Compiler::Zig { target: "x86_64-linux-musl", cpu: "x86_64" },
        binutils: ("x86_64-linux-gnu-", "binutils-x86-64-linux-gnu"),
        go: AMD64,
        sandbox: true,
        wheel: Some("musllinux_1_2_x86_64"),
        sandbox_wheel: Some("manylinux2014_x86_64.musllinux_1_1_x86_64"),
        debian: None,
        rpm: None,
        best_effort: false,
    },
    Platform {
        target: "aarch64-unknown-linux-musl",
        title: "Linux aarch64, musl",
        system: System::Musl,
        pointer_bits: 64,
        runner: Runner::QemuAarch64,
        proofs: &[Proof::C, Proof::Cancel],
        compiler: Compiler::Zig { target: "aarch64-linux-musl", cpu: "generic" },
        binutils: ("aarch64-linux-gnu-", "binutils-aarch64-linux-gnu"),
        go: ARM64,
        sandbox: true,
        wheel: Some("musllinux_1_2_aarch64"),
        sandbox_wheel: Some("manylinux2014_aarch64.musllinux_1_1_aarch64"),
        debian: None,
        rpm: None,
        best_effort: false,
    },
    Platform {
        target: "x86_64-pc-windows-gnu",
        title: "Windows x86_64",
        system: System::Windows("10"),
        pointer_bits: 64,
        runner: Runner::Wine,
        proofs: &[Proof::UnitTests, Proof::C, Proof::Cpp, Proof::Go, Proof::AllFaults, Proof::Cancel],
        compiler: Compiler::Mingw("x86_64-w64-mingw32-gcc-posix"),
        binutils: ("x86_64-w64-mingw32-", "gcc-mingw-w64-x86-64-posix"),
        go: AMD64,
        sandbox: true,
        wheel: Some("win_amd64"),
        sandbox_wheel: Some("win_amd64"),
        debian: None,
        rpm: None,
        best_effort: false,
    },
    Platform {
        target: "i686-pc-windows-gnu",
        title: "Windows i686",
        system: System::Windows("10"),
        pointer_bits: 32,
        runner: Runner::Wine32,
        proofs: &[Proof::UnitTests, Proof::C, Proof::SomeFaults, Proof::Cancel],
        compiler: Compiler::Mingw("i686-w64-mingw32-gcc-posix"),
        binutils: ("i686-w64-mingw32-", "gcc-mingw-w64-i686-posix"),
        go: I386,
        sandbox: false,
        wheel: Some("win32"),
        sandbox_wheel: None,
        debian: None,
        rpm: None,
        best_effort: false,
    },
    Platform {
        target: "i686-win7-windows-gnu",
        title: "Windows i686, Windows 7",
        system: System::Windows("7"),
        pointer_bits: 32,
        runner: Runner::Wine32,
        proofs: &[Proof::C, Proof::SomeFaults, Proof::Cancel],
        compiler: Compiler::Mingw("i686-w64-mingw32-gcc-posix"),
        binutils: ("i686-w64-mingw32-", "gcc-mingw-w64-i686-posix"),
        go: I386,
        sandbox: false,
        wheel: None,
        sandbox_wheel: None,
        debian: None,
        rpm: None,
        best_effort: true,
    },
];

/// The platform of that target.
pub fn platform(target: &str) -> Option<&'static Platform> {
    PLATFORMS.iter().find(|platform| platform.target == target)
}
