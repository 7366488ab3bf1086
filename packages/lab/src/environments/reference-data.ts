// The reference environments' numbers: reward parameters by action, noise, bias of the pre-trained model, and constants
// per round measured over 400,000 draws by an independent implementation.

export interface ReferenceConstants {
  readonly floorPerRound: number
  readonly trueRewardWithPretrainedPlugin: number
  readonly trueRewardWithTrueMeanPlugin: number
  readonly uniformPerRound: number
  readonly bestIgnoringCovariate: number
  readonly elasticityPrinted: number
  readonly elasticityMaxInside: number
  readonly elasticityMissingOnly: number
  readonly lipschitzInCovariate: number
  readonly delta0: number
  readonly omega0: number
  readonly missingShare: number
  readonly meanGapBestToSecond: number
}

/** The numbers of a reference environment and its constants per round, measured independently. */
export interface ReferenceEnvironment {
  readonly name: string
  readonly features: readonly string[]
  /** Reward parameters by action, in the order of `features`. */
  readonly theta: readonly (readonly number[])[]
  /** eta is uniform on [-covariateNoise, covariateNoise]. */
  readonly covariateNoise: number
  readonly rewardNoise: number
  /** How strongly observation depends on the hidden value; 0 is missing at random given the context. */
  readonly mnarStrength: number
  readonly pretrainedBias: number
  readonly constants: ReferenceConstants
}

const thetaA = [
  [
    0.5341546669298151, -0.14478460999906795, 0.04506106653402571, 0.0032752799705921204, 0.062001863736662305,
    0.018137479061397895, 0.25782690315432266, 0.004479056764607141, -0.0728401754306647,
  ],
  [
    0.516569725629068, 0.020323482074641235, -0.01678339071326409, -0.011631555161163496, 0.033837786517902355,
    0.033126420237398806, -0.06969431202614193, -0.05188454949951946, -0.2549388268104474,
  ],
  [
    0.5320727434954321, -0.010549176730059612, 0.06289678854752802, 0.019634852559974415, 0.091431301233098,
    0.07229560518868021, 0.04491203361049278, 0.2089362945576237, -0.13406279849633693,
  ],
  [
    0.526138211765859, -0.06962944991222586, 0.016143594994452497, 0.050084828013841766, 0.010518194059779211,
    -0.017267747892189173, -0.1136648356663796, -0.04836921548548755, 0.14831416649390491,
  ],
  [
    0.5209488400482563, -0.012328950464411749, -0.05860389936679391, 0.03170042433810557, -0.06819259214544911,
    -0.024967944514725657, -0.10368456986938636, 0.10487501029400567, 0.033292600293028565,
  ],
]

const thetaB = [
  [
    0.5667009431271925, 0.01915957845148825, 0.017256982557960335, -0.007190502782475468, -0.004198551609730569,
    -0.007431128588910973, 0.024083257781718038, -0.002369934829199974, 0.03157206716996897, -0.0780894174000623,
    0.0662205591637172,
  ],
  [
    0.5661487703590392, 0.0095869004839212, -0.0019242935266238605, -0.00534170389825578, 0.006525472672161615,
    0.011617841655683693, -0.008561266333535121, -0.006458519735107929, 0.028985593145213588, -0.036790711469360485,
    -0.06401544849737446,
  ],
  [
    0.5682260571887399, -0.009448635224525612, -0.027058637797981577, -0.011470456519102924, -0.006588702569954815,
    -0.016812868416487225, -0.0630888705991706, 0.0015487404069457476, 0.037928182287932745, -0.009854871301087928,
    -0.03143301099925257,
  ],
  [
    0.5681838360634467, 0.010106240540081983, -0.0042273116351492866, 0.007674664072921674, 0.01469467964926012,
    -0.0029161281473397025, -0.03438862226854523, 0.014695755024744612, 0.010464160229100255, 0.04644859905788192,
    -0.05430131435248143,
  ],
  [
    0.5637596595164228, -0.011810225915626011, -0.024433207266453514, 0.0017815312824347256, 0.007437046890357873,
    -0.0104099512208064, 0.058573550698607944, 0.034744075666818135, 0.026520221971781197, 0.016980810712614987,
    0.0403977035095338,
  ],
]

const thetaMnar = [
  [
    0.5355224186884874, -0.13689576346798688, 0.04260583432104361, 0.0030968205263563605, 0.05862358211085499,
    0.017149226312870372, 0.2437787465817322, 0.004235007404525199, -0.06887134914952037,
  ],
  [
    0.5188956241353853, 0.019216121070836662, -0.01586891787247691, -0.01099778922716807, 0.03199407464277326,
    0.03132146841704567, -0.0658968936978607, -0.049057527702529975, -0.2410480322050372,
  ],
  [
    0.5335539325487411, -0.009974386106572575, 0.05946974535452222, 0.01856501275789159, 0.08644950445532172,
    0.06835645078401803, 0.04246492172094725, 0.197552029596393, -0.12675814890083328,
  ],
  [
    0.5279427543168134, -0.06583556571137965, 0.01526398255931879, 0.04735586723728319, 0.009945091582090037,
    -0.016326883990564853, -0.10747160529086945, -0.04573373290349036, 0.14023300581071385,
  ],
  [
    0.5230361347306227, -0.011657185709140655, -0.055410761862534776, 0.02997317043608469, -0.06447699769106949,
    -0.023607521728944172, -0.09803513199511225, 0.09916070915964974, 0.03147859385730299,
  ],
]

const linear = ['1', 'x1', 'x2', 'x3', 'x4', 'x5', 'z', 'z*x1', 'z*x2']
const quadratic = ['1', 'x1', 'x2', 'x3', 'x4', 'x5', 'z', 'z*x1', 'z*x2', '1.5*z^2', '1.5*z^2*x1']

/** The reference environments A, B and those not missing at random. */
export const referenceEnvironments: readonly ReferenceEnvironment[] = [
  {
    name: 'A',
    features: linear,
    theta: thetaA,
    covariateNoise: 0.5,
    rewardNoise: 0.3,
    mnarStrength: 0,
    pretrainedBias: 1,
    constants: {
      floorPerRound: 0.007328,
      trueRewardWithPretrainedPlugin: 0.016307,
      trueRewardWithTrueMeanPlugin: 0.007328,
      uniformPerRound: 0.109794,
      bestIgnoringCovariate: 0.014144,
      elasticityPrinted: 0.012262,
      elasticityMaxInside: 0.013275,
      elasticityMissingOnly: 0.00596,
      lipschitzInCovariate: 0.38764,
      delta0: 0.28737,
      omega0: 0.288722,
      missingShare: 0.501778,
      meanGapBestToSecond: 0.050792,
    },
  },
  {
    name: 'B',
    features: quadratic,
    theta: thetaB,
    covariateNoise: 0.8,
    rewardNoise: 0.3,
    mnarStrength: 0,
    pretrainedBias: 1,
    constants: {
      floorPerRound: 0.005181,
      trueRewardWithPretrainedPlugin: 0.011545,
      trueRewardWithTrueMeanPlugin: 0.007582,
      uniformPerRound: 0.064271,
      bestIgnoringCovariate: 0.011236,
      elasticityPrinted: 0.005707,
      elasticityMaxInside: 0.007631,
      elasticityMissingOnly: 0.004331,
      lipschitzInCovariate: 0.659502,
      delta0: 0.28737,
      omega0: 0.461956,
      missingShare: 0.501778,
      meanGapBestToSecond: 0.037131,
    },
  },
  {
    name: 'MNAR+4',
    features: linear,
    theta: thetaMnar,
    covariateNoise: 0.6,
    rewardNoise: 0.3,
    mnarStrength: 4,
    pretrainedBias: 1,
    constants: {
      floorPerRound: 0.006548,
      trueRewardWithPretrainedPlugin: 0.026561,
      trueRewardWithTrueMeanPlugin: 0.009008,
      uniformPerRound: 0.109409,
      bestIgnoringCovariate: 0.025473,
      elasticityPrinted: 0.013197,
      elasticityMaxInside: 0.014373,
      elasticityMissingOnly: 0.00983,
      lipschitzInCovariate: 0.366519,
      delta0: 0.28737,
      omega0: 0.346467,
      missingShare: 0.501602,
      meanGapBestToSecond: 0.050633,
    },
  },
  {
    name: 'MNAR+4 mild bias',
    features: linear,
    theta: thetaMnar,
    covariateNoise: 0.6,
    rewardNoise: 0.3,
    mnarStrength: 4,
    pretrainedBias: 0.3,
    constants: {
      floorPerRound: 0.006548,
      trueRewardWithPretrainedPlugin: 0.011576,
      trueRewardWithTrueMeanPlugin: 0.009008,
      uniformPerRound: 0.109409,
      bestIgnoringCovariate: 0.025473,
      elasticityPrinted: 0.007846,
      elasticityMaxInside: 0.008758,
      elasticityMissingOnly: 0.005172,
      lipschitzInCovariate: 0.366519,
      delta0: 0.086211,
      omega0: 0.346467,
      missingShare: 0.501602,
      meanGapBestToSecond: 0.050633,
    },
  },
  {
    name: 'MNAR-4',
    features: linear,
    theta: thetaMnar,
    covariateNoise: 0.6,
    rewardNoise: 0.3,
    mnarStrength: -4,
    pretrainedBias: 1,
    constants: {
      floorPerRound: 0.007697,
      trueRewardWithPretrainedPlugin: 0.0099,
      trueRewardWithTrueMeanPlugin: 0.010296,
      uniformPerRound: 0.109409,
      bestIgnoringCovariate: 0.025553,
      elasticityPrinted: 0.013197,
      elasticityMaxInside: 0.014373,
      elasticityMissingOnly: 0.003587,
      lipschitzInCovariate: 0.366519,
      delta0: 0.28737,
      omega0: 0.346467,
      missingShare: 0.501355,
      meanGapBestToSecond: 0.050633,
    },
  },
  {
    name: 'MNAR-4 mild bias',
    features: linear,
    theta: thetaMnar,
    covariateNoise: 0.6,
    rewardNoise: 0.3,
    mnarStrength: -4,
    pretrainedBias: 0.3,
    constants: {
      floorPerRound: 0.007697,
      trueRewardWithPretrainedPlugin: 0.008681,
      trueRewardWithTrueMeanPlugin: 0.010296,
      uniformPerRound: 0.109409,
      bestIgnoringCovariate: 0.025553,
      elasticityPrinted: 0.007846,
      elasticityMaxInside: 0.008758,
      elasticityMissingOnly: 0.003297,
      lipschitzInCovariate: 0.366519,
      delta0: 0.086211,
      omega0: 0.346467,
      missingShare: 0.501355,
      meanGapBestToSecond: 0.050633,
    },
  },
]
