"""Signals and images."""
import jax
import jax.numpy as jnp
from jax import lax

from . import case


@case("f64[100000]")
def power_spectrum(x):
    return jnp.abs(jnp.fft.rfft(x)) ** 2


@case("f32[256,256]", grad=True)
def low_pass(x):
    k = jnp.fft.fftfreq(256)
    keep = (k[:, None] ** 2 + k[None, :] ** 2) < 0.01
    return jnp.fft.ifft2(jnp.fft.fft2(x) * keep).real


@case("f64[50,1000]")
def spectra_of_windows(x):
    n = jnp.arange(1000)
    w = 0.5 - 0.5 * jnp.cos(2 * jnp.pi * n / 999)
    return jnp.abs(jnp.fft.rfft(x * w, axis=1))


@case("f64[16000]")
def short_time_fourier(x):
    i = jnp.arange(0, 16000 - 512, 128)[:, None] + jnp.arange(512)[None, :]
    return jnp.abs(jnp.fft.rfft(x[i], axis=1))


@case("f64[20000]", "f64[101]", grad=True)
def fir_filter(x, h):
    return jnp.convolve(x, h, mode="same")


@case("f64[20000]", "f64[3]", "f64[2]~", grad=True)
def iir_filter(x, b, a):
    def step(s, x):
        y = b[0] * x + s[0]
        return (b[1] * x + s[1] - 0.5 * a[0] * y, b[2] * x - 0.3 * a[1] * y), y

    z = jnp.zeros((), x.dtype)
    return lax.scan(step, (z, z), x)[1]


@case("f32[512,512]")
def sobel(x):
    p = jnp.pad(x, 1, mode="edge")
    gx = p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:] - p[:-2, :-2] - 2 * p[1:-1, :-2] - p[2:, :-2]
    gy = p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:] - p[:-2, :-2] - 2 * p[:-2, 1:-1] - p[:-2, 2:]
    return jnp.sqrt(gx * gx + gy * gy)


@case("f32[400,400]", grad=True)
def gaussian_blur(x):
    t = jnp.arange(-6, 7, dtype=x.dtype)
    k = jnp.exp(-t * t / 8)
    k = k / jnp.sum(k)
    y = jax.vmap(lambda r: jnp.convolve(r, k, mode="same"))(x)
    return jax.vmap(lambda r: jnp.convolve(r, k, mode="same"))(y.T).T


@case("f32[300,300]")
def median_of_nine(x):
    p = jnp.pad(x, 1)
    s = jnp.stack([p[i : i + 300, j : j + 300] for i in range(3) for j in range(3)])
    return jnp.sort(s, 0)[4]


@case("f32[256,256]", "f32[2,2]", grad=True)
def warp_bilinear(x, m):
    i, j = jnp.meshgrid(jnp.arange(256.0), jnp.arange(256.0), indexing="ij")
    u = jnp.clip(128 + 0.5 * (i - 128) + m[0, 0] * 3 + 0.1 * m[0, 1] * j, 0, 254.9).astype(x.dtype)
    v = jnp.clip(128 + 0.5 * (j - 128) + m[1, 0] * 3 + 0.1 * m[1, 1] * i, 0, 254.9).astype(x.dtype)
    a, b = jnp.floor(u).astype(jnp.int32), jnp.floor(v).astype(jnp.int32)
    p, q = u - a, v - b
    return (1 - p) * (1 - q) * x[a, b] + (1 - p) * q * x[a, b + 1] + p * (1 - q) * x[a + 1, b] + p * q * x[a + 1, b + 1]


@case("f32[3,240,320]")
def rgb_to_hsv(x):
    r, g, b = x
    high, low = jnp.max(x, 0), jnp.min(x, 0)
    d = high - low
    safe = jnp.where(d == 0, 1, d)
    h = jnp.where(high == r, (g - b) / safe % 6, jnp.where(high == g, (b - r) / safe + 2, (r - g) / safe + 4))
    return jnp.stack([h / 6, jnp.where(high == 0, 0, d / jnp.where(high == 0, 1, high)), high])


@case("i32[480,640]<256")
def histogram_equalised(x):
    h = jnp.bincount(x.ravel(), length=256)
    c = jnp.cumsum(h)
    return (255 * c // c[-1])[x]


@case("f32[512,512]", grad=True)
def total_variation(x):
    return jnp.sum(jnp.sqrt(1e-4 + jnp.diff(x, axis=0)[:, :-1] ** 2 + jnp.diff(x, axis=1)[:-1, :] ** 2))


@case("f32[128,128]")
def down_and_up(x):
    y = jax.image.resize(x, (64, 64), "linear")
    return jax.image.resize(y, (200, 200), "cubic")


@case("f32[64,64,64]", grad=True)
def box_filter_by_integral(x):
    s = jnp.cumsum(jnp.cumsum(jnp.cumsum(jnp.pad(x, ((1, 0),) * 3), 0), 1), 2)
    k = 5
    d = s[k:] - s[:-k]
    d = d[:, k:] - d[:, :-k]
    return d[:, :, k:] - d[:, :, :-k]


@case("f64[8,4096]")
def haar_wavelets(x):
    out = []
    for _ in range(8):
        a, d = (x[:, ::2] + x[:, 1::2]) / 2**0.5, (x[:, ::2] - x[:, 1::2]) / 2**0.5
        out.append(d)
        x = a
    return jnp.concatenate([x] + out[::-1], 1)


@case("f64[2048]", "f64[2048]")
def correlation_by_fourier(x, y):
    n = 4096
    return jnp.fft.irfft(jnp.fft.rfft(x, n) * jnp.conj(jnp.fft.rfft(y, n)), n)


@case("f32[256,256]")
def local_maxima(x):
    return x == lax.reduce_window(x, -jnp.inf, lax.max, (5, 5), (1, 1), "SAME")


@case("f32[100,128]", "f32[128,40]+")
def mel_energies(x, mel):
    return jnp.log(jnp.maximum(x * x @ mel, 1e-10))


@case("f64[4096]", grad=True)
def hilbert_envelope(x):
    n = x.shape[0]
    h = jnp.zeros(n).at[0].set(1).at[n // 2].set(1).at[1 : n // 2].set(2)
    return jnp.abs(jnp.fft.ifft(jnp.fft.fft(x) * h))
