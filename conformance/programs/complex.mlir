// Made by make.py. Do not edit.
// arithmetic
module {
  func.func private @program(%arg0: tensor<8xcomplex<f32>>, %arg1: tensor<8xcomplex<f32>>) -> (tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>, tensor<8xi1>, tensor<8xcomplex<f32>>, tensor<8xf32>, tensor<8xf32>, tensor<8xcomplex<f32>>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<8xcomplex<f32>>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<8xcomplex<f32>>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<8xcomplex<f32>>
    %3 = stablehlo.compare EQ, %arg0, %arg1, FLOAT : (tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>) -> tensor<8xi1>
    %4 = stablehlo.real %arg0 : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
    %5 = stablehlo.imag %arg0 : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
    %6 = stablehlo.negate %5 : tensor<8xf32>
    %7 = stablehlo.complex %4, %6 : tensor<8xcomplex<f32>>
    %8 = stablehlo.real %arg0 : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
    %9 = stablehlo.imag %arg0 : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
    %10 = stablehlo.negate %arg0 : tensor<8xcomplex<f32>>
    return %0, %1, %2, %3, %7, %8, %9, %10 : tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>, tensor<8xi1>, tensor<8xcomplex<f32>>, tensor<8xf32>, tensor<8xf32>, tensor<8xcomplex<f32>>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[(2.0, -8.0), (1.0, -4.0), (6.0, -3.0), (-9.0, 7.0), (2.0, 0.0), (0.0, -7.0), (1.0, -1.0), (5.0, 0.0)]> : tensor<8xcomplex<f32>>
    %input_1 = stablehlo.constant dense<[(-3.0, 5.0), (0.0, 5.0), (-3.0, 3.0), (8.0, -5.0), (7.0, -7.0), (-6.0, -5.0), (-6.0, 0.0), (-8.0, 2.0)]> : tensor<8xcomplex<f32>>
    %expected_0 = stablehlo.constant dense<[(-1.0, -3.0), (1.0, 1.0), (3.0, 0.0), (-1.0, 2.0), (9.0, -7.0), (-6.0, -12.0), (-5.0, -1.0), (-3.0, 2.0)]> : tensor<8xcomplex<f32>>
    %expected_1 = stablehlo.constant dense<[(5.0, -13.0), (1.0, -9.0), (9.0, -6.0), (-17.0, 12.0), (-5.0, 7.0), (6.0, -2.0), (7.0, -1.0), (13.0, -2.0)]> : tensor<8xcomplex<f32>>
    %expected_2 = stablehlo.constant dense<[(34.0, 34.0), (20.0, 5.0), (-9.0, 27.0), (-37.0, 101.0), (14.0, -14.0), (-35.0, 42.0), (-6.0, 6.0), (-40.0, 10.0)]> : tensor<8xcomplex<f32>>
    %expected_3 = stablehlo.constant dense<[false, false, false, false, false, false, false, false]> : tensor<8xi1>
    %expected_4 = stablehlo.constant dense<[(2.0, 8.0), (1.0, 4.0), (6.0, 3.0), (-9.0, -7.0), (2.0, -0.0), (0.0, 7.0), (1.0, 1.0), (5.0, -0.0)]> : tensor<8xcomplex<f32>>
    %expected_5 = stablehlo.constant dense<[2.0, 1.0, 6.0, -9.0, 2.0, 0.0, 1.0, 5.0]> : tensor<8xf32>
    %expected_6 = stablehlo.constant dense<[-8.0, -4.0, -3.0, 7.0, 0.0, -7.0, -1.0, 0.0]> : tensor<8xf32>
    %expected_7 = stablehlo.constant dense<[(-2.0, 8.0), (-1.0, 4.0), (-6.0, 3.0), (9.0, -7.0), (-2.0, -0.0), (-0.0, 7.0), (-1.0, 1.0), (-5.0, -0.0)]> : tensor<8xcomplex<f32>>
    %found:8 = func.call @program(%input_0, %input_1) : (tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>) -> (tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>, tensor<8xi1>, tensor<8xcomplex<f32>>, tensor<8xf32>, tensor<8xf32>, tensor<8xcomplex<f32>>)
    check.expect_eq %found#0, %expected_0 : tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>
    check.expect_eq %found#1, %expected_1 : tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>
    check.expect_eq %found#2, %expected_2 : tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>
    check.expect_eq %found#3, %expected_3 : tensor<8xi1>, tensor<8xi1>
    check.expect_eq %found#4, %expected_4 : tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>
    check.expect_eq %found#5, %expected_5 : tensor<8xf32>, tensor<8xf32>
    check.expect_eq %found#6, %expected_6 : tensor<8xf32>, tensor<8xf32>
    check.expect_eq %found#7, %expected_7 : tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>
    return
  }
}
// -----
// division
module {
  func.func private @program(%arg0: tensor<12xcomplex<f32>>, %arg1: tensor<12xcomplex<f32>>) -> (tensor<12xcomplex<f32>>) {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<12xcomplex<f32>>
    return %0 : tensor<12xcomplex<f32>>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[(1.40859151, 0.142196402), (1.15509236, -0.451745093), (0.93903935, -0.571457028), (-1.86300111, -0.32974261), (0.351141244, 0.323241293), (1.57271385, -0.735790491), (-0.0362609662, -1.67206502), (1.17096937, -0.115147538), (0.328721434, 0.792022347), (-2.73583364, 1.76032352), (0.671202004, -0.328989774), (-1.105932, -0.091984503)]> : tensor<12xcomplex<f32>>
    %input_1 = stablehlo.constant dense<[(-1.105932, -0.091984503), (0.671202004, -0.328989774), (-2.73583364, 1.76032352), (0.328721434, 0.792022347), (1.17096937, -0.115147538), (-0.0362609662, -1.67206502), (1.57271385, -0.735790491), (0.351141244, 0.323241293), (-1.86300111, -0.32974261), (0.93903935, -0.571457028), (1.15509236, -0.451745093), (1.40859151, 0.142196402)]> : tensor<12xcomplex<f32>>
    %expected_0 = stablehlo.constant dense<[(-1.27553928, -0.0224846993), (1.65355837, 0.13745296), (-0.337789625, -0.00846614223), (-1.18795586, 1.8591578), (0.270115286, 0.302607745), (0.419453889, 0.949678183), (0.389165133, -0.881101787), (1.64170158, -1.83918381), (-0.244048357, -0.381937087), (-2.9585638, 0.0741515532), (0.600606322, -0.0499257445), (-0.783738613, 0.0138154337)]> : tensor<12xcomplex<f32>>
    %found = func.call @program(%input_0, %input_1) : (tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>) -> (tensor<12xcomplex<f32>>)
    check.expect_close %found, %expected_0, max_ulp_difference = 8 : tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>
    return
  }
}
// -----
// functions
module {
  func.func private @program(%arg0: tensor<12xcomplex<f32>>) -> (tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xf32>, tensor<12xcomplex<f32>>) {
    %0 = stablehlo.exponential %arg0 : tensor<12xcomplex<f32>>
    %1 = stablehlo.sqrt %arg0 : tensor<12xcomplex<f32>>
    %2 = stablehlo.log %arg0 : tensor<12xcomplex<f32>>
    %3 = stablehlo.abs %arg0 : (tensor<12xcomplex<f32>>) -> tensor<12xf32>
    %4 = stablehlo.tanh %arg0 : tensor<12xcomplex<f32>>
    return %0, %1, %2, %3, %4 : tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xf32>, tensor<12xcomplex<f32>>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[(1.40859151, 0.142196402), (1.15509236, -0.451745093), (0.93903935, -0.571457028), (-1.86300111, -0.32974261), (0.351141244, 0.323241293), (1.57271385, -0.735790491), (-0.0362609662, -1.67206502), (1.17096937, -0.115147538), (0.328721434, 0.792022347), (-2.73583364, 1.76032352), (0.671202004, -0.328989774), (-1.105932, -0.091984503)]> : tensor<12xcomplex<f32>>
    %expected_0 = stablehlo.constant dense<[(4.04890823, 0.579652309), (2.85589051, -1.38570416), (2.15116811, -1.38325727), (0.146844521, -0.0502556749), (1.3471117, 0.451269656), (3.57285309, -3.2348609), (-0.0974955335, -0.959447742), (3.20376039, -0.370544225), (0.975777745, 0.988791585), (-0.0122154914, 0.0636788681), (1.85165453, -0.632148385), (0.329503417, -0.0303949807)]> : tensor<12xcomplex<f32>>
    %expected_1 = stablehlo.constant dense<[(1.18834805, 0.0598294437), (1.09439015, -0.206391245), (1.0095278, -0.283031851), (0.120325454, -1.37021136), (0.64358747, 0.251124591), (1.28628087, -0.286014706), (0.904488087, -0.924315691), (1.08341742, -0.0531408936), (0.770146489, 0.514202416), (0.508625269, 1.73047197), (0.842227817, -0.195309252), (0.0436964221, -1.05254042)]> : tensor<12xcomplex<f32>>
    %expected_2 = stablehlo.constant dense<[(0.347659856, 0.10060852), (0.215342849, -0.37280184), (0.0946312249, -0.546686172), (0.637612045, -2.96641159), (-0.739676297, 0.744050622), (0.551769495, -0.4375965), (0.514294505, -1.59247923), (0.162643611, -0.0980200917), (-0.153699487, 1.17739153), (1.17964923, 2.56984854), (-0.291029751, -0.455736727), (0.104135439, -3.05860996)]> : tensor<12xcomplex<f32>>
    %expected_3 = stablehlo.constant dense<[1.41575062, 1.24028707, 1.09925342, 1.89195752, 0.477268368, 1.73632276, 1.67245805, 1.17661715, 0.8575297, 3.25323296, 0.747493386, 1.10975063]> : tensor<12xf32>
    %expected_4 = stablehlo.constant dense<[(0.891004205, 0.0299934), (0.874161363, -0.137645289), (0.849056065, -0.241861492), (-0.962224305, -0.0284204688), (0.370515496, 0.293114275), (0.987891197, -0.0847933367), (-3.14610505, 8.71877003), (0.828081369, -0.0366846025), (0.582968771, 0.825851619), (-1.0078373, -0.00313591561), (0.628891826, -0.215630844), (-0.805036426, -0.0326419249)]> : tensor<12xcomplex<f32>>
    %found:5 = func.call @program(%input_0) : (tensor<12xcomplex<f32>>) -> (tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xf32>, tensor<12xcomplex<f32>>)
    check.expect_close %found#0, %expected_0, max_ulp_difference = 16 : tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>
    check.expect_close %found#1, %expected_1, max_ulp_difference = 16 : tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>
    check.expect_close %found#2, %expected_2, max_ulp_difference = 16 : tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>
    check.expect_close %found#3, %expected_3, max_ulp_difference = 16 : tensor<12xf32>, tensor<12xf32>
    check.expect_close %found#4, %expected_4, max_ulp_difference = 16 : tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>
    return
  }
}
// -----
// more_functions
module {
  func.func private @program(%arg0: tensor<12xcomplex<f32>>) -> (tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>) {
    %0 = stablehlo.real %arg0 : (tensor<12xcomplex<f32>>) -> tensor<12xf32>
    %1 = stablehlo.imag %arg0 : (tensor<12xcomplex<f32>>) -> tensor<12xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %3 = stablehlo.compare EQ, %0, %2, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %4 = stablehlo.sine %0 : tensor<12xf32>
    %5 = stablehlo.cosine %0 : tensor<12xf32>
    %6 = stablehlo.exponential_minus_one %1 : tensor<12xf32>
    %7 = stablehlo.negate %1 : tensor<12xf32>
    %8 = stablehlo.exponential_minus_one %7 : tensor<12xf32>
    %9 = stablehlo.subtract %6, %8 : tensor<12xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %11 = stablehlo.divide %9, %10 : tensor<12xf32>
    %12 = stablehlo.add %6, %8 : tensor<12xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %14 = stablehlo.add %12, %13 : tensor<12xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %16 = stablehlo.divide %14, %15 : tensor<12xf32>
    %17 = stablehlo.multiply %4, %16 : tensor<12xf32>
    %18 = stablehlo.multiply %5, %11 : tensor<12xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %20 = stablehlo.complex %19, %18 : tensor<12xcomplex<f32>>
    %21 = stablehlo.complex %17, %18 : tensor<12xcomplex<f32>>
    %22 = stablehlo.select %3, %20, %21 : tensor<12xi1>, tensor<12xcomplex<f32>>
    %23 = stablehlo.real %arg0 : (tensor<12xcomplex<f32>>) -> tensor<12xf32>
    %24 = stablehlo.imag %arg0 : (tensor<12xcomplex<f32>>) -> tensor<12xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %26 = stablehlo.compare EQ, %23, %25, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %27 = stablehlo.sine %23 : tensor<12xf32>
    %28 = stablehlo.cosine %23 : tensor<12xf32>
    %29 = stablehlo.exponential_minus_one %24 : tensor<12xf32>
    %30 = stablehlo.negate %24 : tensor<12xf32>
    %31 = stablehlo.exponential_minus_one %30 : tensor<12xf32>
    %32 = stablehlo.subtract %29, %31 : tensor<12xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %34 = stablehlo.divide %32, %33 : tensor<12xf32>
    %35 = stablehlo.add %29, %31 : tensor<12xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %37 = stablehlo.add %35, %36 : tensor<12xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %39 = stablehlo.divide %37, %38 : tensor<12xf32>
    %40 = stablehlo.multiply %28, %39 : tensor<12xf32>
    %41 = stablehlo.negate %27 : tensor<12xf32>
    %42 = stablehlo.multiply %41, %34 : tensor<12xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %44 = stablehlo.complex %40, %43 : tensor<12xcomplex<f32>>
    %45 = stablehlo.complex %40, %42 : tensor<12xcomplex<f32>>
    %46 = stablehlo.select %26, %44, %45 : tensor<12xi1>, tensor<12xcomplex<f32>>
    %47 = stablehlo.rsqrt %arg0 : tensor<12xcomplex<f32>>
    %48 = stablehlo.exponential_minus_one %arg0 : tensor<12xcomplex<f32>>
    %49 = stablehlo.negate %arg0 : tensor<12xcomplex<f32>>
    %50 = stablehlo.exponential %49 : tensor<12xcomplex<f32>>
    %cst_9 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %51 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<complex<f32>>) -> tensor<12xcomplex<f32>>
    %52 = stablehlo.add %51, %50 : tensor<12xcomplex<f32>>
    %cst_10 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %53 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<complex<f32>>) -> tensor<12xcomplex<f32>>
    %54 = stablehlo.divide %53, %52 : tensor<12xcomplex<f32>>
    %55 = stablehlo.sign %arg0 : tensor<12xcomplex<f32>>
    return %22, %46, %47, %48, %54, %55 : tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[(1.40859151, 0.142196402), (1.15509236, -0.451745093), (0.93903935, -0.571457028), (-1.86300111, -0.32974261), (0.351141244, 0.323241293), (1.57271385, -0.735790491), (-0.0362609662, -1.67206502), (1.17096937, -0.115147538), (0.328721434, 0.792022347), (-2.73583364, 1.76032352), (0.671202004, -0.328989774), (-1.105932, -0.091984503)]> : tensor<12xcomplex<f32>>
    %expected_0 = stablehlo.constant dense<[(0.996867657, 0.0230413992), (1.00977707, -0.1886985), (0.942383051, -0.356152117), (-1.01014519, 0.0967177525), (0.362096488, 0.308830529), (1.28312659, 0.00154169369), (-0.0998953283, -2.56595707), (0.927241802, -0.0449213237), (0.429494798, 0.83048147), (-1.18144643, -2.59209466), (0.655889332, -0.262296021), (-0.897666752, -0.0412949659)]> : tensor<12xcomplex<f32>>
    %expected_1 = stablehlo.constant dense<[(0.163129926, -0.140803263), (0.445745498, 0.42747134), (0.689644575, 0.486673474), (-0.30386731, -0.32151854), (0.988464057, -0.113131523), (-0.00246043061, 0.804000854), (2.75369215, -0.0930848867), (0.391842395, 0.106300205), (1.25915766, -0.28327468), (-2.75011873, 1.1135596), (0.825836062, 0.20831877), (0.450199455, -0.0823393241)]> : tensor<12xcomplex<f32>>
    %expected_2 = stablehlo.constant dense<[(0.839376628, -0.0422598757), (0.882368326, 0.166406035), (0.91837585, 0.257476449), (0.063598372, 0.724229455), (1.34848118, -0.526170611), (0.740807354, 0.16472438), (0.540813506, 0.552668989), (0.920789957, 0.0451641269), (0.898098826, -0.599632204), (0.156344503, -0.531923771), (1.12673604, 0.261285573), (0.0393749662, 0.948447645)]> : tensor<12xcomplex<f32>>
    %expected_3 = stablehlo.constant dense<[(3.04890871, 0.579652309), (1.85589039, -1.38570416), (1.15116811, -1.38325727), (-0.853155494, -0.0502556749), (0.347111702, 0.451269656), (2.57285333, -3.2348609), (-1.09749556, -0.959447742), (2.20376015, -0.370544225), (-0.0242222659, 0.988791585), (-1.0122155, 0.0636788979), (0.85165447, -0.632148385), (-0.670496583, -0.0303949807)]> : tensor<12xcomplex<f32>>
    %expected_4 = stablehlo.constant dense<[(0.80451411, 0.022443248), (0.770319581, -0.0825410262), (0.73392731, -0.116796978), (0.129713401, -0.038136676), (0.589132667, 0.078995809), (0.854253173, -0.10310211), (0.479840845, -0.552978516), (0.763951719, -0.0208066814), (0.595244169, 0.202562839), (-0.00817666296, 0.0649934784), (0.665751696, -0.0740954205), (0.24823238, -0.0171868373)]> : tensor<12xcomplex<f32>>
    %expected_5 = stablehlo.constant dense<[(0.994943261, 0.100438878), (0.931310475, -0.364226252), (0.854251921, -0.519859195), (-0.984695017, -0.17428647), (0.735731244, 0.677273631), (0.905772746, -0.423763663), (-0.0216812417, -0.999764979), (0.995199978, -0.0978632197), (0.383335322, 0.923609257), (-0.840958416, 0.541099727), (0.897937059, -0.440124005), (-0.996559024, -0.0828875452)]> : tensor<12xcomplex<f32>>
    %found:6 = func.call @program(%input_0) : (tensor<12xcomplex<f32>>) -> (tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>)
    check.expect_close %found#0, %expected_0, max_ulp_difference = 32 : tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>
    check.expect_close %found#1, %expected_1, max_ulp_difference = 32 : tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>
    check.expect_close %found#2, %expected_2, max_ulp_difference = 32 : tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>
    check.expect_close %found#3, %expected_3, max_ulp_difference = 32 : tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>
    check.expect_close %found#4, %expected_4, max_ulp_difference = 32 : tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>
    check.expect_close %found#5, %expected_5, max_ulp_difference = 32 : tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>
    return
  }
}
// -----
// reduced
module {
  func.func private @program(%arg0: tensor<3x4xcomplex<f32>>) -> (tensor<3xcomplex<f32>>, tensor<4xcomplex<f32>>) {
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.multiply across dimensions = [0] : (tensor<3x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    return %0, %1 : tensor<3xcomplex<f32>>, tensor<4xcomplex<f32>>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[(0.0, 0.0), (-2.0, -2.0), (0.0, 1.0), (1.0, -3.0)], [(-2.0, -1.0), (-1.0, -1.0), (-1.0, 2.0), (1.0, 1.0)], [(0.0, -2.0), (-2.0, -2.0), (-1.0, -1.0), (0.0, 1.0)]]> : tensor<3x4xcomplex<f32>>
    %expected_0 = stablehlo.constant dense<[(-1.0, -4.0), (-3.0, 1.0), (-3.0, -4.0)]> : tensor<3xcomplex<f32>>
    %expected_1 = stablehlo.constant dense<[(0.0, -0.0), (8.0, -8.0), (1.0, 3.0), (2.0, 4.0)]> : tensor<4xcomplex<f32>>
    %found:2 = func.call @program(%input_0) : (tensor<3x4xcomplex<f32>>) -> (tensor<3xcomplex<f32>>, tensor<4xcomplex<f32>>)
    check.expect_eq %found#0, %expected_0 : tensor<3xcomplex<f32>>, tensor<3xcomplex<f32>>
    check.expect_eq %found#1, %expected_1 : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>
    return
  }
}
// -----
// fft
module {
  func.func private @program(%arg0: tensor<2x8xcomplex<f32>>) -> (tensor<2x8xcomplex<f32>>, tensor<2x8xcomplex<f32>>) {
    %0 = call @fft(%arg0) : (tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
    %1 = call @fft_0(%arg0) : (tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
    return %0, %1 : tensor<2x8xcomplex<f32>>, tensor<2x8xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [8] : (tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
    return %0 : tensor<2x8xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = IFFT, length = [8] : (tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
    return %0 : tensor<2x8xcomplex<f32>>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[(-6.0, -9.0), (1.0, -7.0), (-4.0, -2.0), (-9.0, -7.0), (-8.0, -2.0), (-1.0, 0.0), (3.0, -1.0), (-3.0, 6.0)], [(1.0, -4.0), (-5.0, -5.0), (1.0, -9.0), (-9.0, 8.0), (1.0, 5.0), (5.0, 5.0), (-9.0, 3.0), (5.0, -1.0)]]> : tensor<2x8xcomplex<f32>>
    %expected_0 = stablehlo.constant dense<[[(-27.0, -22.0), (-7.48528099, 7.07106781), (-19.0, -20.0), (-16.7989902, -15.4142132), (-3.0, -6.0), (9.48528099, -7.07106781), (-7.0, 4.0), (22.7989902, -12.5857868)], [(-10.0, 2.0), (-9.87867928, -15.4644661), (3.0, 3.0), (8.46446609, 31.405592), (-2.0, -12.0), (-14.1213207, -22.5355339), (17.0, 11.0), (15.5355339, -29.405592)]]> : tensor<2x8xcomplex<f32>>
    %expected_1 = stablehlo.constant dense<[[(-3.375, -2.75), (2.84987378, -1.57322335), (-0.875, 0.5), (1.18566012, -0.883883476), (-0.375, -0.75), (-2.09987378, -1.92677665), (-2.375, -2.5), (-0.935660124, 0.883883476)], [(-1.25, 0.25), (1.94194174, -3.675699), (2.125, 1.375), (-1.76516509, -2.81694174), (-0.25, -1.5), (1.05805826, 3.925699), (0.375, 0.375), (-1.23483491, -1.93305826)]]> : tensor<2x8xcomplex<f32>>
    %found:2 = func.call @program(%input_0) : (tensor<2x8xcomplex<f32>>) -> (tensor<2x8xcomplex<f32>>, tensor<2x8xcomplex<f32>>)
    check.expect_almost_eq %found#0, %expected_0 : tensor<2x8xcomplex<f32>>, tensor<2x8xcomplex<f32>>
    check.expect_almost_eq %found#1, %expected_1 : tensor<2x8xcomplex<f32>>, tensor<2x8xcomplex<f32>>
    return
  }
}
// -----
// real_fft
module {
  func.func private @program(%arg0: tensor<2x6xf32>) -> (tensor<2x6xf32>) {
    %0 = call @fft(%arg0) : (tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = call @_pad(%0, %c) : (tensor<2x4xcomplex<f32>>, tensor<i64>) -> tensor<2x4xcomplex<f32>>
    %2 = call @fft_0(%1) : (tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32>
    return %2 : tensor<2x6xf32>
  }
  func.func private @fft(%arg0: tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [6] : (tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>>
    return %0 : tensor<2x4xcomplex<f32>>
  }
  func.func private @_pad(%arg0: tensor<2x4xcomplex<f32>>, %arg1: tensor<i64>) -> tensor<2x4xcomplex<f32>> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<complex<f32>>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2x4xcomplex<f32>>
    return %1 : tensor<2x4xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [6] : (tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32>
    return %0 : tensor<2x6xf32>
  }
  func.func public @main() {
    %input_0 = stablehlo.constant dense<[[-9.0, 3.0, 5.0, -2.0, -7.0, -2.0], [8.0, -6.0, 2.0, -9.0, -4.0, -4.0]]> : tensor<2x6xf32>
    %expected_0 = stablehlo.constant dense<[[-9.0, 3.0, 4.99999952, -2.0, -6.99999952, -2.0], [8.0, -6.0, 1.99999976, -9.0, -3.99999976, -4.0]]> : tensor<2x6xf32>
    %found = func.call @program(%input_0) : (tensor<2x6xf32>) -> (tensor<2x6xf32>)
    check.expect_almost_eq %found, %expected_0 : tensor<2x6xf32>, tensor<2x6xf32>
    return
  }
}
