//! A backend in Rust: four kernels for f32 on host memory, and find(), which says what they take. It needs no library,
//! not even Rust's standard library, so no code runs when it is loaded. rustc alone builds it: see meson.build.
#![no_std]

mod abi;

use abi::*;
use core::ffi::c_void;

const MANIFEST_TEXT: &[u8] = b"{\"abi\": \"1.0.0\", \"vendor\": \"Backplane\", \"version\": \"1.0.0\", \"opset\": 1,\
    \"devices\": [{\"id\": \"dev.backplane.rust-kernels\", \"aliases\": [\"rust-kernels\"],\
    \"name\": \"A few kernels in Rust\", \"extensions\": [\"bp.kernels/1\"]}]}";

#[used]
#[link_section = ".note.backplane"]
static MANIFEST: Manifest<{ MANIFEST_TEXT.len() }> = Manifest::new(MANIFEST_TEXT);

fn element_count(call: &Call) -> usize {
    let module = call.module;
    module.element_count(module.shape(module.shape_of(module.instr(call.instr).results)))
}

/// Applies an operation to all elements. Equal shapes have equal layouts, so corresponding elements have equal offsets;
/// without tiles, there are no gaps between them.
/// A result may be in the same memory as an operand, so Rust's slices cannot be used.
unsafe fn elementwise(call: &Call, operation: impl Fn(f32, f32) -> f32) -> Status {
    let last = call.module.instr(call.instr).operand_count as usize - 1;
    let (x, y, out) = (*call.operands, *call.operands.add(last), *call.results);
    for i in 0..element_count(call) {
        *out.add(i) = operation(*x.add(i), *y.add(i));
    }
    OK
}

unsafe extern "C" fn negate(_: &Device, call: &Call, _: &Diag) -> Status {
    elementwise(call, |x, _| -x)
}
unsafe extern "C" fn add(_: &Device, call: &Call, _: &Diag) -> Status {
    elementwise(call, |x, y| x + y)
}
unsafe extern "C" fn subtract(_: &Device, call: &Call, _: &Diag) -> Status {
    elementwise(call, |x, y| x - y)
}
unsafe extern "C" fn multiply(_: &Device, call: &Call, _: &Diag) -> Status {
    elementwise(call, |x, y| x * y)
}

unsafe extern "C" fn find(_: &Device, module: &Module, index: u32, diag: &Diag) -> Option<Kernel> {
    let instr = module.instr(index);
    let kernel: Kernel = match instr.op {
        OP_NEGATE => negate,
        OP_ADD => add,
        OP_SUBTRACT => subtract,
        OP_MULTIPLY => multiply,
        _ => {
            diag.report(UNSUPPORTED, index, "there is no kernel for this op\0");
            return None;
        }
    };
    let result = module.shape_of(instr.results);
    let is_plain = module.shape(result).dtype == DTYPE_F32
        && module.tile_count(module.shape(result)) == 0
        && module.operand_shapes(instr).all(|shape| shape == result)
        && module.attrs(instr).iter().all(|attr| attr.key >= ATTR_HINT);
    if !is_plain {
        diag.report(UNSUPPORTED, index, "expected f32, equal layouts, and no attributes\0");
        return None;
    }
    Some(kernel)
}

// --- the device, its factory, the entry ---

const ID: &str = "dev.backplane.rust-kernels\0";
const EXTENSION: &str = "bp.kernels/1\0";
const VERSION_TEXT: &str = "1.0.0\0";

struct Names([*const u8; 2]);
unsafe impl Sync for Names {}
static FEATURES: Names = Names([EXTENSION.as_ptr(), core::ptr::null()]);

static KERNELS: Kernels = Kernels { find };

static DESC: DeviceDesc = DeviceDesc {
    version: VERSION,
    opset: 1,
    id: ID.as_ptr(),
    name: "A few kernels in Rust\0".as_ptr(),
    vendor: "Backplane\0".as_ptr(),
    plugin_version: VERSION_TEXT.as_ptr(),
    url: core::ptr::null(),
    features: FEATURES.0.as_ptr(),
    options: core::ptr::null(),
    option_count: 0,
};

static DEVICE: Device = Device {
    desc: &DESC,
    device_data: core::ptr::null_mut(),
    target: VERSION_TEXT.as_ptr(),
    init: init_device,
    destroy: destroy_device,
    get_extension,
};

/// Whether two strings that end in 0 are equal.
unsafe fn is(text: *const u8, expected: &str) -> bool {
    expected.bytes().enumerate().all(|(i, byte)| *text.add(i) == byte)
}

unsafe extern "C" fn init_device(_: &Device, _: &Diag) -> Status {
    OK
}
unsafe extern "C" fn destroy_device(_: &Device) {}
unsafe extern "C" fn get_extension(_: &Device, id: *const u8) -> *const c_void {
    if is(id, EXTENSION) {
        (&KERNELS as *const Kernels).cast()
    } else {
        core::ptr::null()
    }
}

unsafe extern "C" fn count(_: &Factory) -> u32 {
    1
}
unsafe extern "C" fn get_desc(_: &Factory, index: u32) -> *const DeviceDesc {
    if index == 0 {
        &DESC
    } else {
        core::ptr::null()
    }
}
unsafe extern "C" fn probe(_: &Factory, id: *const u8, instances: &mut u32, _: &Diag) -> Status {
    *instances = is(id, ID) as u32;
    OK
}
unsafe extern "C" fn create(
    _: &Factory,
    _host: *const c_void,
    id: *const u8,
    _instance: u32,
    _options: *const c_void,
    option_count: u32,
    diag: &Diag,
) -> *const Device {
    if !is(id, ID) || option_count != 0 {
        diag.report(INVALID, NONE, "expected the device dev.backplane.rust-kernels, which has no options\0");
        return core::ptr::null();
    }
    &DEVICE
}
static FACTORY: Factory = Factory { count, get_desc, probe, create };

unsafe extern "C" fn init(_path: *const u8, _: &Diag) -> Status {
    OK
}
unsafe extern "C" fn deinit() {}
unsafe extern "C" fn get_factory(id: *const u8) -> *const c_void {
    if is(id, "bp.device-factory/1\0") {
        (&FACTORY as *const Factory).cast()
    } else {
        core::ptr::null()
    }
}

#[no_mangle]
#[allow(non_upper_case_globals)]
pub static bp_entry: Entry = Entry { version: VERSION, init, deinit, get_factory };

extern "C" {
    fn abort() -> !;
}

/// Called for an index that is out of bounds, which a checked module does not have.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    unsafe { abort() }
}
