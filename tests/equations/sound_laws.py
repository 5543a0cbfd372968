"""Sound statements of the library's laws, as a person would write them, many in SI units."""

from sympy import I, Max, Rational, atan, cos, cosh, exp, log, pi, sin, tanh

import geometry as geo
from equations import (
    ODE,
    AdvectionDiffusion,
    AllenCahn,
    Biharmonic,
    BlackScholes,
    Boussinesq,
    BuckleyLeverett,
    CahnHilliard,
    CompressibleNavierStokes,
    Darcy,
    Eikonal,
    Eq,
    Euler,
    EulerBernoulliBeam,
    Fisher,
    FitzHughNagumo,
    FokkerPlanck,
    GinzburgLandau,
    GrayScott,
    Heat,
    HeatExchanger,
    Helmholtz,
    KdV,
    KirchhoffPlate,
    KleinGordon,
    LinearElasticity,
    Maxwell,
    NavierStokes,
    NeoHookean,
    Problem,
    Schrodinger,
    ShallowWater,
    SineGordon,
    Stokes,
    TimoshenkoBeam,
    Vibration,
    VorticityStreamfunction,
    Wave,
    coordinates,
    diff,
    div,
    field,
    fields,
    grad,
    normal_derivative,
)

x, y, z, t = coordinates("x y z t")
S = coordinates("S")
line, square = geo.Interval(0, 1), geo.Rectangle((0, 0), (1, 1))
bar, ring = line.over(t, 0, 1), geo.Interval(-10, 10).periodic("x").over(t, 0, 1)
pipe = geo.Channel((0, 0), (1e-2, 1e-3))
SIDES = ("left", "right")
WALLS = ("left", "right", "bottom", "top")

water = NavierStokes((x, y), viscosity=1e-6, density=1000)
glue = Stokes((x, y), viscosity=10, density=1000)
convection = Boussinesq((x, y), viscosity=0.1, diffusivity=0.1, expansion=1, gravity=(0, -10))
swirl = VorticityStreamfunction((x, y), viscosity=0.1)
steel = LinearElasticity((x, y), young=210e9, poisson_ratio=0.3)
rubber = NeoHookean((x, y), young=1e6, poisson_ratio=0.45)
plate = KirchhoffPlate((x, y), stiffness=1, load=1)
cantilever = EulerBernoulliBeam(x, stiffness=2e6)
girder = TimoshenkoBeam(x, stiffness=2e6, shear_stiffness=8e7, load=1e3)
rod = Heat((x, t), conductivity=50, heat_capacity=3.9e6)
wall = Heat(x, conductivity=0.8)
dye = AdvectionDiffusion((x, y), velocity=(1, 0), diffusivity=0.1)
string, sheet = Wave((x, t), speed=300), Wave((x, y, t))
sound = Helmholtz((x, y), wavenumber=4, unknown=field("u", x, y, complex=True))
aquifer, mixed_aquifer = (
    Darcy((x, y), permeability=1e-12, viscosity=1e-3),
    Darcy((x, y), mixed=True),
)
sand = BuckleyLeverett((x, t), velocity=1, viscosity_ratio=2, capillarity=0.05)
spins, alloy = AllenCahn((x, t), diffusivity=1e-2, rate=5), CahnHilliard((x, y, t))
genes, spots = Fisher((x, t)), GrayScott((x, y, t), diffusivity=(2e-5, 1e-5), feed=0.04, kill=0.06)
nerve = FitzHughNagumo((x, t))
soliton, kink, mesons = KdV((x, t)), SineGordon((x, t)), KleinGordon((x, t))
wave_packet = Schrodinger((x, t))
condensate = GinzburgLandau((x, t), dispersion=1, shift=1)
cavity = Maxwell((x, y, t), polarization="TM")
basin, tube = ShallowWater((x, t)), Euler((x, t))
gas = CompressibleNavierStokes((x, t), viscosity=0.01, conductivity=0.01)
diffusing = FokkerPlanck((x, t), drift=-x, diffusion=1)
option = BlackScholes((S, t), volatility=0.2, rate=0.05)
travel = Eikonal((x, y))
exchanger = HeatExchanger((x, t), flows=(1, 1), conductances=(1, 1))
spring = Vibration(t, mass=2, stiffness=8, damping=Rational(1, 10))
prey, predators = fields("prey predators", t)
clamped = Biharmonic((x, y), source=1)
u, k = field("u", x, y), field("k", x, y)

LAWS = {
    "water in a narrow channel": Problem(
        pipe,
        water,
        {
            "inlet": [Eq(water.velocity[0], 4e5 * y * (1e-3 - y)), Eq(water.velocity[1], 0)],
            "walls": water.no_slip(),
            "outlet": water.traction_free(),
        },
    ),
    "glue pressed through a channel": Problem(
        pipe,
        glue,
        {
            "inlet": [Eq(glue.pressure, 1e5), Eq(glue.velocity[1], 0)],
            "walls": glue.no_slip(),
            "outlet": [Eq(glue.pressure, 0), Eq(glue.velocity[1], 0)],
        },
    ),
    "a heated cavity": Problem(
        square,
        convection,
        {
            WALLS: convection.no_slip(),
            "left": Eq(convection.temperature, 1),
            "right": Eq(convection.temperature, 0),
            ("bottom", "top"): convection.insulated(),
            geo.Point(0, 0): Eq(convection.pressure, 0),
        },
    ),
    "a steel plate that is pulled": Problem(
        geo.Rectangle((0, 0), (2, 1)) - geo.Disk((1, 0.5), 0.2, name="hole"),
        steel,
        {
            "left": steel.clamped(),
            "right": steel.traction((1e7, 0)),
            ("bottom", "top", "hole"): steel.free(),
        },
    ),
    "a rubber block that is sheared": Problem(
        square,
        rubber,
        {
            "bottom": rubber.clamped(),
            "top": Eq(rubber.displacement, (0.1, 0)),
            SIDES: rubber.free(),
        },
    ),
    "a supported plate": Problem(
        square,
        plate,
        {"left": plate.clamped(), ("right", "bottom", "top"): plate.simply_supported()},
    ),
    "a clamped plate": Problem(square, clamped, {"boundary": clamped.clamped()}),
    "a cantilever": Problem(
        line, cantilever, {"left": cantilever.clamped(), "right": cantilever.free(force=1e3)}
    ),
    "a girder": Problem(line, girder, {SIDES: girder.simply_supported()}),
    "a rod in an hour": Problem(
        geo.Interval(0, 0.1).over(t, 0, 3600),
        rod,
        {
            "initial": Eq(rod.temperature, 293),
            "left": Eq(rod.temperature, 293),
            "right": rod.convection(10, ambient=293),
        },
    ),
    "a wall between two rooms": Problem(
        geo.Interval(0, 0.24),
        wall,
        {"left": wall.convection(8, ambient=293), "right": wall.convection(25, ambient=263)},
    ),
    "dye in a channel": Problem(
        square,
        dye,
        {
            "left": Eq(dye.unknown, 1),
            ("bottom", "top"): dye.impermeable(),
            "right": dye.outflow(),
        },
    ),
    "a string": Problem(
        line.over(t, 0, 0.01),
        string,
        {
            "initial": [Eq(string.unknown, sin(pi * x)), Eq(string.velocity, 0)],
            SIDES: Eq(string.unknown, 0),
        },
    ),
    "a sheet with open sides": Problem(
        square.over(t, 0, 1),
        sheet,
        {
            "initial": [Eq(sheet.unknown, exp(-(x**2) - y**2)), Eq(sheet.velocity, 0)],
            SIDES: sheet.absorbing(),
            ("bottom", "top"): sheet.free(),
        },
    ),
    "sound around a soft disk": Problem(
        geo.Disk((0, 0), 3, name="far") - geo.Disk((0, 0), 0.5, name="disk"),
        sound,
        {"disk": sound.sound_soft(incident=exp(4 * I * x)), "far": sound.radiating()},
    ),
    "an aquifer": Problem(
        geo.Rectangle((0, 0), (1000, 100)),
        aquifer,
        {
            "left": Eq(aquifer.pressure, 2e5),
            "right": Eq(aquifer.pressure, 1e5),
            ("bottom", "top"): aquifer.impermeable(),
        },
    ),
    "water that drives oil out": Problem(
        bar,
        sand,
        {
            "initial": Eq(sand.unknown, exp(-10 * x)),
            "left": Eq(sand.unknown, 1),
            "right": Eq(diff(sand.unknown, x), 0),
        },
    ),
    "spins": Problem(ring, spins, {"initial": Eq(spins.unknown, cos(pi * x / 10))}),
    "a gene that spreads": Problem(
        bar, genes, {"initial": Eq(genes.unknown, (1 + cos(pi * x)) / 2), SIDES: genes.no_flux()}
    ),
    "spots": Problem(
        geo.Rectangle((0, 0), (1, 1)).periodic("x", "y").over(t, 0, 10),
        spots,
        {"initial": Eq(spots.species, (1, sin(2 * pi * x) ** 2 / 4))},
    ),
    "a nerve": Problem(
        bar,
        nerve,
        {
            "initial": [Eq(nerve.unknowns[0], cos(pi * x)), Eq(nerve.unknowns[1], 0)],
            SIDES: nerve.no_flux(),
        },
    ),
    "a soliton": Problem(ring, soliton, {"initial": Eq(soliton.unknown, 2 / cosh(x) ** 2)}),
    "a kink": Problem(
        geo.Interval(-10, 10).over(t, 0, 1),
        kink,
        {
            "initial": [Eq(kink.unknown, 4 * atan(exp(x))), Eq(diff(kink.unknown, t), 0)],
            SIDES: Eq(diff(kink.unknown, x), 0),
        },
    ),
    "a field with a mass": Problem(
        ring,
        mesons,
        {"initial": [Eq(mesons.unknown, cos(pi * x / 10)), Eq(diff(mesons.unknown, t), 0)]},
    ),
    "a wave packet": Problem(
        ring, wave_packet, {"initial": Eq(wave_packet.unknown, exp(2 * pi * I * x / 10))}
    ),
    "a condensate": Problem(
        ring, condensate, {"initial": Eq(condensate.unknown, sin(pi * x / 10))}
    ),
    "a resonator": Problem(
        square.over(t, 0, 1),
        cavity,
        {
            "initial": [
                Eq(cavity.electric[2], sin(pi * x) * sin(pi * y)),
                *(Eq(h, 0) for h in cavity.magnetic[:2]),
            ],
            WALLS: cavity.perfect_conductor(),
        },
    ),
    "a basin": Problem(
        geo.Interval(0, 1).periodic("x").over(t, 0, 0.1),
        basin,
        {"initial": [Eq(basin.depth, 1 + sin(2 * pi * x) / 10), Eq(basin.velocity, (0,))]},
    ),
    "a shock tube, smoothed": Problem(
        geo.Interval(-1, 1).over(t, 0, 0.2),
        tube,
        {
            "initial": [
                Eq(tube.density, 0.5 - 0.4 * tanh(20 * x)),
                Eq(tube.velocity, (0,)),
                Eq(tube.pressure, 0.5 - 0.4 * tanh(20 * x)),
            ],
            SIDES: tube.slip(),
        },
    ),
    "a cloud that drifts": Problem(
        geo.Interval(-4, 4).over(t, 0, 1),
        diffusing,
        {"initial": Eq(diffusing.unknown, exp(-(x**2) / 2)), SIDES: diffusing.reflecting()},
    ),
    "an option": Problem(
        geo.Interval(0, 200, axes="S").over(t, 0, 1),
        option,
        {
            "final": Eq(option.unknown, Max(S - 100, 0)),
            "left": Eq(option.unknown, 0),
            "right": Eq(option.unknown, S - 100 * exp(-(1 - t) / 20)),
        },
    ),
    "times of travel": Problem(
        square - geo.Disk((0.5, 0.5), 0.1, name="source"),
        travel,
        {"source": Eq(travel.unknown, 0)},
    ),
    "an oscillator": Problem(geo.Time(0, 10), spring, {"initial": spring.initial(1, 0)}),
    "prey and predators": Problem(
        geo.Time(0, 10),
        ODE({prey: prey - prey * predators, predators: prey * predators - predators}),
        {"initial": [Eq(prey, 2), Eq(predators, 1)]},
    ),
    "two materials": Problem(
        square,
        Eq(-div((1 + 9 * (1 + tanh(20 * (x - 0.5))) / 2) * grad(u)), 1),
        {"boundary": Eq(u, 0)},
    ),
    "a logarithm at a source": Problem(
        geo.Annulus((0, 0), 0.1, 1),
        Eq(-div(grad(u)), 0),
        {"outer": Eq(u, 0), "inner": Eq(normal_derivative(u), log(10))},
    ),
}
