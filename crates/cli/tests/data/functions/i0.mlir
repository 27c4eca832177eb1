module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = stablehlo.abs %arg0 : tensor<7xf64>
    %1 = stablehlo.exponential %0 : tensor<7xf64>
    %2 = stablehlo.abs %arg0 : tensor<7xf64>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %6 = stablehlo.multiply %3, %2 : tensor<7xf64>
    %7 = stablehlo.subtract %6, %4 : tensor<7xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %11 = stablehlo.multiply %7, %8 : tensor<7xf64>
    %12 = stablehlo.subtract %11, %9 : tensor<7xf64>
    %cst_5 = stablehlo.constant dense<-4.4153416464793395E-18> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %14 = stablehlo.add %12, %13 : tensor<7xf64>
    %15 = stablehlo.multiply %7, %14 : tensor<7xf64>
    %16 = stablehlo.subtract %15, %8 : tensor<7xf64>
    %cst_6 = stablehlo.constant dense<3.3307945188222384E-17> : tensor<f64>
    %17 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %18 = stablehlo.add %16, %17 : tensor<7xf64>
    %19 = stablehlo.multiply %7, %18 : tensor<7xf64>
    %20 = stablehlo.subtract %19, %14 : tensor<7xf64>
    %cst_7 = stablehlo.constant dense<-2.4312798465479549E-16> : tensor<f64>
    %21 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %22 = stablehlo.add %20, %21 : tensor<7xf64>
    %23 = stablehlo.multiply %7, %22 : tensor<7xf64>
    %24 = stablehlo.subtract %23, %18 : tensor<7xf64>
    %cst_8 = stablehlo.constant dense<1.7153912855551331E-15> : tensor<f64>
    %25 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %26 = stablehlo.add %24, %25 : tensor<7xf64>
    %27 = stablehlo.multiply %7, %26 : tensor<7xf64>
    %28 = stablehlo.subtract %27, %22 : tensor<7xf64>
    %cst_9 = stablehlo.constant dense<-1.1685332877993451E-14> : tensor<f64>
    %29 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %30 = stablehlo.add %28, %29 : tensor<7xf64>
    %31 = stablehlo.multiply %7, %30 : tensor<7xf64>
    %32 = stablehlo.subtract %31, %26 : tensor<7xf64>
    %cst_10 = stablehlo.constant dense<7.6761854986049361E-14> : tensor<f64>
    %33 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %34 = stablehlo.add %32, %33 : tensor<7xf64>
    %35 = stablehlo.multiply %7, %34 : tensor<7xf64>
    %36 = stablehlo.subtract %35, %30 : tensor<7xf64>
    %cst_11 = stablehlo.constant dense<-4.856446783111929E-13> : tensor<f64>
    %37 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %38 = stablehlo.add %36, %37 : tensor<7xf64>
    %39 = stablehlo.multiply %7, %38 : tensor<7xf64>
    %40 = stablehlo.subtract %39, %34 : tensor<7xf64>
    %cst_12 = stablehlo.constant dense<2.9550526631296399E-12> : tensor<f64>
    %41 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %42 = stablehlo.add %40, %41 : tensor<7xf64>
    %43 = stablehlo.multiply %7, %42 : tensor<7xf64>
    %44 = stablehlo.subtract %43, %38 : tensor<7xf64>
    %cst_13 = stablehlo.constant dense<-1.7268262914415559E-11> : tensor<f64>
    %45 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %46 = stablehlo.add %44, %45 : tensor<7xf64>
    %47 = stablehlo.multiply %7, %46 : tensor<7xf64>
    %48 = stablehlo.subtract %47, %42 : tensor<7xf64>
    %cst_14 = stablehlo.constant dense<9.6758090353732369E-11> : tensor<f64>
    %49 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %50 = stablehlo.add %48, %49 : tensor<7xf64>
    %51 = stablehlo.multiply %7, %50 : tensor<7xf64>
    %52 = stablehlo.subtract %51, %46 : tensor<7xf64>
    %cst_15 = stablehlo.constant dense<-5.1897956016352627E-10> : tensor<f64>
    %53 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %54 = stablehlo.add %52, %53 : tensor<7xf64>
    %55 = stablehlo.multiply %7, %54 : tensor<7xf64>
    %56 = stablehlo.subtract %55, %50 : tensor<7xf64>
    %cst_16 = stablehlo.constant dense<2.6598237246823866E-9> : tensor<f64>
    %57 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %58 = stablehlo.add %56, %57 : tensor<7xf64>
    %59 = stablehlo.multiply %7, %58 : tensor<7xf64>
    %60 = stablehlo.subtract %59, %54 : tensor<7xf64>
    %cst_17 = stablehlo.constant dense<-1.300025009986248E-8> : tensor<f64>
    %61 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %62 = stablehlo.add %60, %61 : tensor<7xf64>
    %63 = stablehlo.multiply %7, %62 : tensor<7xf64>
    %64 = stablehlo.subtract %63, %58 : tensor<7xf64>
    %cst_18 = stablehlo.constant dense<6.0469950225419186E-8> : tensor<f64>
    %65 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %66 = stablehlo.add %64, %65 : tensor<7xf64>
    %67 = stablehlo.multiply %7, %66 : tensor<7xf64>
    %68 = stablehlo.subtract %67, %62 : tensor<7xf64>
    %cst_19 = stablehlo.constant dense<-2.6707938539406119E-7> : tensor<f64>
    %69 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %70 = stablehlo.add %68, %69 : tensor<7xf64>
    %71 = stablehlo.multiply %7, %70 : tensor<7xf64>
    %72 = stablehlo.subtract %71, %66 : tensor<7xf64>
    %cst_20 = stablehlo.constant dense<1.1173875391201037E-6> : tensor<f64>
    %73 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %74 = stablehlo.add %72, %73 : tensor<7xf64>
    %75 = stablehlo.multiply %7, %74 : tensor<7xf64>
    %76 = stablehlo.subtract %75, %70 : tensor<7xf64>
    %cst_21 = stablehlo.constant dense<-4.4167383584587505E-6> : tensor<f64>
    %77 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %78 = stablehlo.add %76, %77 : tensor<7xf64>
    %79 = stablehlo.multiply %7, %78 : tensor<7xf64>
    %80 = stablehlo.subtract %79, %74 : tensor<7xf64>
    %cst_22 = stablehlo.constant dense<1.6448448070728896E-5> : tensor<f64>
    %81 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %82 = stablehlo.add %80, %81 : tensor<7xf64>
    %83 = stablehlo.multiply %7, %82 : tensor<7xf64>
    %84 = stablehlo.subtract %83, %78 : tensor<7xf64>
    %cst_23 = stablehlo.constant dense<-5.754195010082104E-5> : tensor<f64>
    %85 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %86 = stablehlo.add %84, %85 : tensor<7xf64>
    %87 = stablehlo.multiply %7, %86 : tensor<7xf64>
    %88 = stablehlo.subtract %87, %82 : tensor<7xf64>
    %cst_24 = stablehlo.constant dense<1.8850288509584165E-4> : tensor<f64>
    %89 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %90 = stablehlo.add %88, %89 : tensor<7xf64>
    %91 = stablehlo.multiply %7, %90 : tensor<7xf64>
    %92 = stablehlo.subtract %91, %86 : tensor<7xf64>
    %cst_25 = stablehlo.constant dense<-5.7637557453858236E-4> : tensor<f64>
    %93 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %94 = stablehlo.add %92, %93 : tensor<7xf64>
    %95 = stablehlo.multiply %7, %94 : tensor<7xf64>
    %96 = stablehlo.subtract %95, %90 : tensor<7xf64>
    %cst_26 = stablehlo.constant dense<0.0016394756169413357> : tensor<f64>
    %97 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %98 = stablehlo.add %96, %97 : tensor<7xf64>
    %99 = stablehlo.multiply %7, %98 : tensor<7xf64>
    %100 = stablehlo.subtract %99, %94 : tensor<7xf64>
    %cst_27 = stablehlo.constant dense<-0.0043243099950505759> : tensor<f64>
    %101 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %102 = stablehlo.add %100, %101 : tensor<7xf64>
    %103 = stablehlo.multiply %7, %102 : tensor<7xf64>
    %104 = stablehlo.subtract %103, %98 : tensor<7xf64>
    %cst_28 = stablehlo.constant dense<0.010546460394594998> : tensor<f64>
    %105 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %106 = stablehlo.add %104, %105 : tensor<7xf64>
    %107 = stablehlo.multiply %7, %106 : tensor<7xf64>
    %108 = stablehlo.subtract %107, %102 : tensor<7xf64>
    %cst_29 = stablehlo.constant dense<-0.023737414805899471> : tensor<f64>
    %109 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %110 = stablehlo.add %108, %109 : tensor<7xf64>
    %111 = stablehlo.multiply %7, %110 : tensor<7xf64>
    %112 = stablehlo.subtract %111, %106 : tensor<7xf64>
    %cst_30 = stablehlo.constant dense<0.049305284239670712> : tensor<f64>
    %113 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %114 = stablehlo.add %112, %113 : tensor<7xf64>
    %115 = stablehlo.multiply %7, %114 : tensor<7xf64>
    %116 = stablehlo.subtract %115, %110 : tensor<7xf64>
    %cst_31 = stablehlo.constant dense<-0.094901097048047639> : tensor<f64>
    %117 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %118 = stablehlo.add %116, %117 : tensor<7xf64>
    %119 = stablehlo.multiply %7, %118 : tensor<7xf64>
    %120 = stablehlo.subtract %119, %114 : tensor<7xf64>
    %cst_32 = stablehlo.constant dense<0.17162090152220877> : tensor<f64>
    %121 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %122 = stablehlo.add %120, %121 : tensor<7xf64>
    %123 = stablehlo.multiply %7, %122 : tensor<7xf64>
    %124 = stablehlo.subtract %123, %118 : tensor<7xf64>
    %cst_33 = stablehlo.constant dense<-0.3046826723431984> : tensor<f64>
    %125 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %126 = stablehlo.add %124, %125 : tensor<7xf64>
    %127 = stablehlo.multiply %7, %126 : tensor<7xf64>
    %128 = stablehlo.subtract %127, %122 : tensor<7xf64>
    %cst_34 = stablehlo.constant dense<0.67679527440947607> : tensor<f64>
    %129 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %130 = stablehlo.add %128, %129 : tensor<7xf64>
    %131 = stablehlo.subtract %130, %122 : tensor<7xf64>
    %cst_35 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %132 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %133 = stablehlo.multiply %132, %131 : tensor<7xf64>
    %134 = stablehlo.divide %5, %2 : tensor<7xf64>
    %135 = stablehlo.subtract %134, %4 : tensor<7xf64>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %136 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %137 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %138 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %139 = stablehlo.multiply %135, %136 : tensor<7xf64>
    %140 = stablehlo.subtract %139, %137 : tensor<7xf64>
    %cst_39 = stablehlo.constant dense<-7.2331804878747538E-18> : tensor<f64>
    %141 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %142 = stablehlo.add %140, %141 : tensor<7xf64>
    %143 = stablehlo.multiply %135, %142 : tensor<7xf64>
    %144 = stablehlo.subtract %143, %136 : tensor<7xf64>
    %cst_40 = stablehlo.constant dense<-4.8305044859441819E-18> : tensor<f64>
    %145 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %146 = stablehlo.add %144, %145 : tensor<7xf64>
    %147 = stablehlo.multiply %135, %146 : tensor<7xf64>
    %148 = stablehlo.subtract %147, %142 : tensor<7xf64>
    %cst_41 = stablehlo.constant dense<4.4656214202967598E-17> : tensor<f64>
    %149 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %150 = stablehlo.add %148, %149 : tensor<7xf64>
    %151 = stablehlo.multiply %135, %150 : tensor<7xf64>
    %152 = stablehlo.subtract %151, %146 : tensor<7xf64>
    %cst_42 = stablehlo.constant dense<3.4612228676974612E-17> : tensor<f64>
    %153 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %154 = stablehlo.add %152, %153 : tensor<7xf64>
    %155 = stablehlo.multiply %135, %154 : tensor<7xf64>
    %156 = stablehlo.subtract %155, %150 : tensor<7xf64>
    %cst_43 = stablehlo.constant dense<-2.8276239805165836E-16> : tensor<f64>
    %157 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %158 = stablehlo.add %156, %157 : tensor<7xf64>
    %159 = stablehlo.multiply %135, %158 : tensor<7xf64>
    %160 = stablehlo.subtract %159, %154 : tensor<7xf64>
    %cst_44 = stablehlo.constant dense<-3.425485619677219E-16> : tensor<f64>
    %161 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %162 = stablehlo.add %160, %161 : tensor<7xf64>
    %163 = stablehlo.multiply %135, %162 : tensor<7xf64>
    %164 = stablehlo.subtract %163, %158 : tensor<7xf64>
    %cst_45 = stablehlo.constant dense<1.7725601330565263E-15> : tensor<f64>
    %165 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %166 = stablehlo.add %164, %165 : tensor<7xf64>
    %167 = stablehlo.multiply %135, %166 : tensor<7xf64>
    %168 = stablehlo.subtract %167, %162 : tensor<7xf64>
    %cst_46 = stablehlo.constant dense<3.8116806693526224E-15> : tensor<f64>
    %169 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %170 = stablehlo.add %168, %169 : tensor<7xf64>
    %171 = stablehlo.multiply %135, %170 : tensor<7xf64>
    %172 = stablehlo.subtract %171, %166 : tensor<7xf64>
    %cst_47 = stablehlo.constant dense<-9.5548466988283073E-15> : tensor<f64>
    %173 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %174 = stablehlo.add %172, %173 : tensor<7xf64>
    %175 = stablehlo.multiply %135, %174 : tensor<7xf64>
    %176 = stablehlo.subtract %175, %170 : tensor<7xf64>
    %cst_48 = stablehlo.constant dense<-4.1505693472872222E-14> : tensor<f64>
    %177 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %178 = stablehlo.add %176, %177 : tensor<7xf64>
    %179 = stablehlo.multiply %135, %178 : tensor<7xf64>
    %180 = stablehlo.subtract %179, %174 : tensor<7xf64>
    %cst_49 = stablehlo.constant dense<1.54008621752141E-14> : tensor<f64>
    %181 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %182 = stablehlo.add %180, %181 : tensor<7xf64>
    %183 = stablehlo.multiply %135, %182 : tensor<7xf64>
    %184 = stablehlo.subtract %183, %178 : tensor<7xf64>
    %cst_50 = stablehlo.constant dense<3.8527783827421426E-13> : tensor<f64>
    %185 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %186 = stablehlo.add %184, %185 : tensor<7xf64>
    %187 = stablehlo.multiply %135, %186 : tensor<7xf64>
    %188 = stablehlo.subtract %187, %182 : tensor<7xf64>
    %cst_51 = stablehlo.constant dense<7.180124451383666E-13> : tensor<f64>
    %189 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %190 = stablehlo.add %188, %189 : tensor<7xf64>
    %191 = stablehlo.multiply %135, %190 : tensor<7xf64>
    %192 = stablehlo.subtract %191, %186 : tensor<7xf64>
    %cst_52 = stablehlo.constant dense<-1.7941785315068062E-12> : tensor<f64>
    %193 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %194 = stablehlo.add %192, %193 : tensor<7xf64>
    %195 = stablehlo.multiply %135, %194 : tensor<7xf64>
    %196 = stablehlo.subtract %195, %190 : tensor<7xf64>
    %cst_53 = stablehlo.constant dense<-1.3215811840447713E-11> : tensor<f64>
    %197 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %198 = stablehlo.add %196, %197 : tensor<7xf64>
    %199 = stablehlo.multiply %135, %198 : tensor<7xf64>
    %200 = stablehlo.subtract %199, %194 : tensor<7xf64>
    %cst_54 = stablehlo.constant dense<-3.1499165279632416E-11> : tensor<f64>
    %201 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %202 = stablehlo.add %200, %201 : tensor<7xf64>
    %203 = stablehlo.multiply %135, %202 : tensor<7xf64>
    %204 = stablehlo.subtract %203, %198 : tensor<7xf64>
    %cst_55 = stablehlo.constant dense<1.1889147107846439E-11> : tensor<f64>
    %205 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %206 = stablehlo.add %204, %205 : tensor<7xf64>
    %207 = stablehlo.multiply %135, %206 : tensor<7xf64>
    %208 = stablehlo.subtract %207, %202 : tensor<7xf64>
    %cst_56 = stablehlo.constant dense<4.9406023882249701E-10> : tensor<f64>
    %209 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %210 = stablehlo.add %208, %209 : tensor<7xf64>
    %211 = stablehlo.multiply %135, %210 : tensor<7xf64>
    %212 = stablehlo.subtract %211, %206 : tensor<7xf64>
    %cst_57 = stablehlo.constant dense<3.3962320257083865E-9> : tensor<f64>
    %213 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %214 = stablehlo.add %212, %213 : tensor<7xf64>
    %215 = stablehlo.multiply %135, %214 : tensor<7xf64>
    %216 = stablehlo.subtract %215, %210 : tensor<7xf64>
    %cst_58 = stablehlo.constant dense<2.266668990498178E-8> : tensor<f64>
    %217 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %218 = stablehlo.add %216, %217 : tensor<7xf64>
    %219 = stablehlo.multiply %135, %218 : tensor<7xf64>
    %220 = stablehlo.subtract %219, %214 : tensor<7xf64>
    %cst_59 = stablehlo.constant dense<2.0489185894690638E-7> : tensor<f64>
    %221 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %222 = stablehlo.add %220, %221 : tensor<7xf64>
    %223 = stablehlo.multiply %135, %222 : tensor<7xf64>
    %224 = stablehlo.subtract %223, %218 : tensor<7xf64>
    %cst_60 = stablehlo.constant dense<2.8913705208347567E-6> : tensor<f64>
    %225 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %226 = stablehlo.add %224, %225 : tensor<7xf64>
    %227 = stablehlo.multiply %135, %226 : tensor<7xf64>
    %228 = stablehlo.subtract %227, %222 : tensor<7xf64>
    %cst_61 = stablehlo.constant dense<6.8897583469168245E-5> : tensor<f64>
    %229 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %230 = stablehlo.add %228, %229 : tensor<7xf64>
    %231 = stablehlo.multiply %135, %230 : tensor<7xf64>
    %232 = stablehlo.subtract %231, %226 : tensor<7xf64>
    %cst_62 = stablehlo.constant dense<0.0033691164782556943> : tensor<f64>
    %233 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %234 = stablehlo.add %232, %233 : tensor<7xf64>
    %235 = stablehlo.multiply %135, %234 : tensor<7xf64>
    %236 = stablehlo.subtract %235, %230 : tensor<7xf64>
    %cst_63 = stablehlo.constant dense<0.80449041101410879> : tensor<f64>
    %237 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %238 = stablehlo.add %236, %237 : tensor<7xf64>
    %239 = stablehlo.subtract %238, %230 : tensor<7xf64>
    %cst_64 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %240 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %241 = stablehlo.multiply %240, %239 : tensor<7xf64>
    %242 = stablehlo.sqrt %2 : tensor<7xf64>
    %243 = stablehlo.divide %241, %242 : tensor<7xf64>
    %cst_65 = stablehlo.constant dense<8.000000e+00> : tensor<f64>
    %244 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %245 = stablehlo.compare LE, %2, %244, FLOAT : (tensor<7xf64>, tensor<7xf64>) -> tensor<7xi1>
    %246 = stablehlo.select %245, %133, %243 : tensor<7xi1>, tensor<7xf64>
    %247 = stablehlo.multiply %1, %246 : tensor<7xf64>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %248 = stablehlo.reduce(%247 init: %cst_66) applies stablehlo.add across dimensions = [0] : (tensor<7xf64>, tensor<f64>) -> tensor<f64>
    return %248 : tensor<f64>
  }
}
