//! The part of the plugin ABI (plugin_api/include) that tier 0 needs. It is written by hand; the asserts check that
//! sizes are those in plugin_api/check/layout.txt, which never change. Strings are addresses of bytes that end in 0.

use core::ffi::c_void;
use core::mem::size_of;

pub type Status = i32;
pub const OK: Status = 0;
pub const UNSUPPORTED: Status = 1;
pub const INVALID: Status = 2;
pub const NONE: u32 = u32::MAX;

pub const OP_NEGATE: u16 = 2;
pub const OP_ADD: u16 = 39;
pub const OP_SUBTRACT: u16 = 40;
pub const OP_MULTIPLY: u16 = 41;
pub const DTYPE_F32: u16 = 11;
pub const ATTR_HINT: u16 = 0x8000;

#[repr(C)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub revision: u32,
}
pub const VERSION: Version = Version { major: 1, minor: 0, revision: 0 };

#[repr(C)]
pub struct Diag {
    ctx: *mut c_void,
    report: unsafe extern "C" fn(&Diag, Status, u32, *const u8),
}

impl Diag {
    /// `message` ends in 0.
    pub fn report(&self, status: Status, instr: u32, message: &'static str) {
        debug_assert!(message.ends_with('\0'));
        unsafe { (self.report)(self, status, instr, message.as_ptr()) }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Range {
    pub offset: u32,
    pub count: u32,
}

#[repr(C)]
pub struct Module {
    magic: [u8; 8],
    hash: [u8; 32],
    size: u64,
    opset: u32,
    stage: u32,
    entry: u32,
    name: u32,
    own_attrs: u32,
    own_attr_count: u32,
    computations: Range,
    instrs: Range,
    values: Range,
    shapes: Range,
    operands: Range,
    attrs: Range,
    allocations: Range,
    i64s: Range,
    strings: Range,
    bytes: Range,
    sections: Range,
}

#[repr(C)]
pub struct Shape {
    pub dtype: u16,
    pub rank: u16,
    pub dims: u32,
    pub layout: u32,
    pub element_bits: u32,
}

#[repr(C)]
pub struct Value {
    pub shape: u32,
    pub instr: u32,
    pub allocation: u32,
    pub precision: u32,
    pub offset: u64,
    pub size: u64,
}

#[repr(C)]
pub struct Instr {
    pub op: u16,
    pub flags: u16,
    pub operands: u32,
    pub operand_count: u32,
    pub results: u32,
    pub result_count: u32,
    pub attrs: u32,
    pub attr_count: u32,
    pub calls: u32,
    pub call_count: u32,
    pub name: u32,
    pub origin: u32,
}

#[repr(C)]
pub struct Attr {
    pub key: u16,
    pub kind: u16,
    pub data: u32,
    pub count: u32,
}

impl Module {
    /// Returns the elements of a range. The core has checked the module: ranges are inside it, and their elements are
    /// valid.
    fn array<T>(&self, range: Range) -> &[T] {
        unsafe {
            let base = (self as *const Module).cast::<u8>();
            core::slice::from_raw_parts(base.add(range.offset as usize).cast(), range.count as usize)
        }
    }
    pub fn instr(&self, index: u32) -> &Instr {
        &self.array(self.instrs)[index as usize]
    }
    /// Returns the index of the shape of a value. Shapes of one module are equal if and only if their indices are
    /// equal.
    pub fn shape_of(&self, value: u32) -> u32 {
        self.array::<Value>(self.values)[value as usize].shape
    }
    pub fn operand_shapes<'a>(&'a self, instr: &'a Instr) -> impl Iterator<Item = u32> + 'a {
        let first = instr.operands as usize;
        let ids = &self.array::<u32>(self.operands)[first..first + instr.operand_count as usize];
        ids.iter().map(move |&value| self.shape_of(value))
    }
    pub fn shape(&self, number: u32) -> &Shape {
        &self.array(self.shapes)[number as usize]
    }
    pub fn element_count(&self, shape: &Shape) -> usize {
        let first = shape.dims as usize;
        self.array::<i64>(self.i64s)[first..first + shape.rank as usize].iter().product::<i64>() as usize
    }
    pub fn tile_count(&self, shape: &Shape) -> i64 {
        self.array::<i64>(self.i64s)[shape.layout as usize + shape.rank as usize]
    }
    pub fn attrs(&self, instr: &Instr) -> &[Attr] {
        let first = instr.attrs as usize;
        &self.array(self.attrs)[first..first + instr.attr_count as usize]
    }
}

#[repr(C)]
pub struct Call {
    pub module: &'static Module,
    pub instr: u32,
    reserved: u32,
    pub operands: *const *const f32,
    pub results: *const *mut f32,
}

pub type Kernel = unsafe extern "C" fn(&Device, &Call, &Diag) -> Status;

#[repr(C)]
pub struct Kernels {
    pub find: unsafe extern "C" fn(&Device, &Module, u32, &Diag) -> Option<Kernel>,
}

#[repr(C)]
pub struct DeviceDesc {
    pub version: Version,
    pub opset: u32,
    pub id: *const u8,
    pub name: *const u8,
    pub vendor: *const u8,
    pub plugin_version: *const u8,
    pub url: *const u8,
    pub features: *const *const u8,
    pub options: *const c_void,
    pub option_count: u64,
}

#[repr(C)]
pub struct Device {
    pub desc: &'static DeviceDesc,
    pub device_data: *mut c_void,
    pub target: *const u8,
    pub init: unsafe extern "C" fn(&Device, &Diag) -> Status,
    pub destroy: unsafe extern "C" fn(&Device),
    pub get_extension: unsafe extern "C" fn(&Device, *const u8) -> *const c_void,
}

#[repr(C)]
pub struct Factory {
    pub count: unsafe extern "C" fn(&Factory) -> u32,
    pub get_desc: unsafe extern "C" fn(&Factory, u32) -> *const DeviceDesc,
    pub probe: unsafe extern "C" fn(&Factory, *const u8, &mut u32, &Diag) -> Status,
    pub create:
        unsafe extern "C" fn(&Factory, *const c_void, *const u8, u32, *const c_void, u32, &Diag) -> *const Device,
}

#[repr(C)]
pub struct Entry {
    pub version: Version,
    pub init: unsafe extern "C" fn(*const u8, &Diag) -> Status,
    pub deinit: unsafe extern "C" fn(),
    pub get_factory: unsafe extern "C" fn(*const u8) -> *const c_void,
}

/// An ELF note whose content is the manifest.
#[repr(C, align(4))]
pub struct Manifest<const SIZE: usize> {
    name_size: u32,
    content_size: u32,
    kind: u32,
    name: [u8; 12],
    content: [u8; SIZE],
}

impl<const SIZE: usize> Manifest<SIZE> {
    /// `text` has SIZE bytes.
    pub const fn new(text: &[u8]) -> Self {
        let mut content = [0; SIZE];
        let mut i = 0;
        while i < SIZE {
            content[i] = text[i];
            i += 1;
        }
        Manifest { name_size: 10, content_size: SIZE as u32, kind: 1, name: *b"Backplane\0\0\0", content }
    }
}

// These hold constant data, which all threads may share.
unsafe impl Sync for DeviceDesc {}
unsafe impl Sync for Device {}

const _: () = assert!(size_of::<Version>() == 12 && size_of::<Diag>() == 16 && size_of::<Module>() == 160);
const _: () = assert!(size_of::<Shape>() == 16 && size_of::<Value>() == 32 && size_of::<Instr>() == 44);
const _: () = assert!(size_of::<Attr>() == 12 && size_of::<Call>() == 32 && size_of::<Kernels>() == 8);
const _: () = assert!(size_of::<DeviceDesc>() == 80 && size_of::<Device>() == 48 && size_of::<Factory>() == 32);
const _: () = assert!(size_of::<Entry>() == 40);
