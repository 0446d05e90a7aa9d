import { type Curve, curveOf, msAt } from './curve.ts'
import { assumed, type Engine, figureOf, type Inputs, neededFigure } from './figures.ts'

/** What a team can run. */
export type Setup = 'embedded' | 'bm25' | 'tsvector' | 'local' | 'openSearch'

export const setups: Readonly<Record<Setup, string>> = {
  embedded: 'one process, embedded',
  bm25: 'Postgres with BM25',
  tsvector: 'Postgres with tsvector',
  local: 'Postgres with local indexes',
  openSearch: 'Postgres with OpenSearch',
}

/** What the functions of this file compute, for readers of the tables. N is the number of requests. */
export const formulas: readonly string[] = [
  'search: ms(N) = constant + factor (N / 1M)^exponent, through the measured points of four common words; with fewer than three points constant and exponent are those of the figures',
  'local: ms = embedded ms(N) + records; OpenSearch: ms = ms(N / shards) + records, shards = N / 10M, at least 1; tsvector: ms(N) + records',
  'searches a second: embedded 1,000 / ms; BM25 and tsvector cores of Postgres x 1,000 / ms; local processes x 1,000 / embedded ms(N); OpenSearch cores of its nodes x 1,000 / (shards x ms(N / shards)); never more than Postgres can read records for, or processes can answer',
  'stored a second: embedded as measured; Postgres one writer x (1 + (cores - 1) x what a further core adds), at most commits with a notification x 100; local at most what an index can follow: embedded / share of texts; OpenSearch at most what its nodes index',
  'disk: bytes a request x N, of all machines; with tsvector, local and OpenSearch without the BM25 index of Postgres; local adds an index a process, OpenSearch one a copy',
  'memory: the search index, the index of all words, the narrow copies and a tenth of the rest must be in memory; 600 MB a process; OpenSearch nodes whole',
  'nodes of OpenSearch: as many as hold all copies in half of their memory, at least one a copy',
  'cost: cores, memory and 1.5 x disk at the assumed prices; no standby, no backups, no traffic',
]

/** What a setup needs and does with so many requests. Each speed is that of a service that does nothing else. */
export interface Estimate {
  setup: Setup
  requests: number
  /** Data of all machines. */
  diskGB: number
  /** Data of the machine that has most of them. */
  machineDiskGB: number
  /** Working set of the machine of Postgres; 0 where there is none. */
  machineGB: number
  /** Of one process, with its search index. */
  processGB: number
  /** Of all machines. */
  memoryGB: number
  /** A search of four common words on idle machines. */
  searchMs: number
  searchesPerSecond: number
  storedPerSecond: number
  /** To build the search index anew; null where it was not measured, and for the embedded database, which has no such build. */
  buildHours: number | null
  /** Of OpenSearch. */
  nodes: number
  cores: number
  costUsd: number
}

const gigabytes = (bytes: number) => bytes / 1e9
const perSecond = (cores: number, ms: number) => (cores * 1_000) / ms

/** Bytes a request, and the part of them that must be in memory. */
function bytesOf(inputs: Inputs) {
  const figure = (name: string) => neededFigure(inputs, name)
  const postgres = figure('postgresBytes')
  const bm25 = figure('bm25Bytes')
  const searched = figure('wordsBytes') + figure('copiesBytes')
  const hot = searched + assumed(inputs, 'hotTables') * (postgres - bm25 - searched)
  return { postgres, bm25, searched, hot, weights: figure('weightsBytes'), local: figure('localBytes') }
}

/** Disk and memory in GB: of Postgres, of a process with its index, and of one copy in OpenSearch. */
function sizesOf(inputs: Inputs, setup: Setup, requests: number) {
  const { postgres, bm25, searched, hot, weights, local } = bytesOf(inputs)
  const ofSetup = {
    embedded: { disk: 0, hot: 0, processDisk: postgres, processHot: bm25 + hot },
    bm25: { disk: postgres, hot: bm25 + hot, processDisk: 0, processHot: 0 },
    tsvector: { disk: postgres - bm25 + weights, hot: weights + hot, processDisk: 0, processHot: 0 },
    local: { disk: postgres - bm25 + weights, hot, processDisk: local, processHot: bm25 + searched },
    openSearch: { disk: postgres - bm25, hot, processDisk: 0, processHot: 0 },
  }[setup]
  const copy = setup === 'openSearch' ? neededFigure(inputs, 'openSearchBytes') : 0
  return {
    postgresDiskGB: gigabytes(ofSetup.disk * requests),
    machineGB: gigabytes(ofSetup.hot * requests),
    processDiskGB: gigabytes(ofSetup.processDisk * requests),
    processGB: neededFigure(inputs, 'processMemory') / 1_000 + gigabytes(ofSetup.processHot * requests),
    indexGB: assumed(inputs, 'copies') * gigabytes(copy * requests),
  }
}

const curve = (inputs: Inputs, engine: Engine): Curve => curveOf(inputs.searches[engine], 'four')

interface Machines {
  postgresCores: number
  processes: number
  nodes: number
}

function searchOf(inputs: Inputs, setup: Setup, requests: number, machines: Machines) {
  const { postgresCores, processes, nodes } = machines
  const recordsMs = neededFigure(inputs, 'recordsMs')
  const service = processes * neededFigure(inputs, 'serviceSearches')
  const most = Math.min(service, setup === 'embedded' ? Infinity : perSecond(postgresCores, recordsMs))
  const embeddedMs = msAt(curve(inputs, 'embedded'), requests)
  const tsvectorMs = msAt(curve(inputs, 'tsvector'), requests) + recordsMs
  const bm25Ms = msAt(curve(inputs, 'bm25'), requests)
  const shards = Math.max(1, Math.ceil(requests / assumed(inputs, 'requestsPerShard')))
  const shardMs = msAt(curve(inputs, 'openSearch'), requests / shards)
  const { searchMs, rate } = {
    embedded: { searchMs: embeddedMs, rate: perSecond(1, embeddedMs) },
    bm25: { searchMs: bm25Ms, rate: perSecond(postgresCores, bm25Ms) },
    tsvector: { searchMs: tsvectorMs, rate: perSecond(postgresCores, tsvectorMs) },
    local: { searchMs: embeddedMs + recordsMs, rate: perSecond(processes, embeddedMs) },
    openSearch: {
      searchMs: shardMs + recordsMs,
      rate: perSecond(nodes * assumed(inputs, 'nodeCores'), shards * shardMs),
    },
  }[setup]
  return { searchMs, searchesPerSecond: Math.min(rate, most) }
}

function storedOf(inputs: Inputs, setup: Setup, { postgresCores, nodes }: Machines): number {
  const embedded = neededFigure(inputs, 'embeddedStored')
  if (setup === 'embedded') return embedded
  const parallel = 1 + (postgresCores - 1) * neededFigure(inputs, 'secondCore')
  const postgres = Math.min(
    neededFigure(inputs, 'writerStored') * parallel,
    neededFigure(inputs, 'notifyingCommits') * assumed(inputs, 'pageSize'),
  )
  if (setup === 'local') return Math.min(postgres, embedded / neededFigure(inputs, 'textShare'))
  if (setup !== 'openSearch') return postgres
  const indexed = nodes * assumed(inputs, 'nodeCores') * neededFigure(inputs, 'openSearchStored')
  return Math.min(postgres, indexed / assumed(inputs, 'copies'))
}

const buildFigures: Readonly<Record<Setup, string | null>> = {
  embedded: null,
  bm25: 'bm25Build',
  tsvector: 'weightsBuild',
  local: 'localBuild',
  openSearch: 'openSearchBuild',
}

function buildHoursOf(inputs: Inputs, setup: Setup, requests: number): number | null {
  const name = buildFigures[setup]
  const rate = name === null ? null : figureOf(inputs, name)
  return rate === null ? null : requests / rate / 3_600
}

function postgresCoresOf(inputs: Inputs, setup: Setup): number {
  if (setup === 'embedded') return 0
  return assumed(inputs, setup === 'bm25' || setup === 'tsvector' ? 'postgresCores' : 'dataCores')
}

/** @param processes as assumed, except in a table of their number; the embedded service is always one. */
export function estimate(
  inputs: Inputs,
  setup: Setup,
  requests: number,
  processes = setup === 'embedded' ? 1 : assumed(inputs, 'processes'),
): Estimate {
  const sizes = sizesOf(inputs, setup, requests)
  const cached = assumed(inputs, 'nodeGB') * assumed(inputs, 'nodeCache')
  const nodes = setup === 'openSearch' ? Math.max(assumed(inputs, 'copies'), Math.ceil(sizes.indexGB / cached)) : 0
  const postgresCores = postgresCoresOf(inputs, setup)
  const machines = { postgresCores, processes, nodes }
  const hasOwnIndex = setup === 'embedded' || setup === 'local'
  const cores =
    postgresCores +
    processes * assumed(inputs, hasOwnIndex ? 'localCores' : 'processCores') +
    nodes * assumed(inputs, 'nodeCores')
  const diskGB = sizes.postgresDiskGB + processes * sizes.processDiskGB + sizes.indexGB
  const memoryGB = sizes.machineGB + processes * sizes.processGB + nodes * assumed(inputs, 'nodeGB')
  return {
    setup,
    requests,
    diskGB,
    machineDiskGB: Math.max(sizes.postgresDiskGB, sizes.processDiskGB),
    machineGB: sizes.machineGB,
    processGB: sizes.processGB,
    memoryGB,
    ...searchOf(inputs, setup, requests, machines),
    storedPerSecond: storedOf(inputs, setup, machines),
    buildHours: buildHoursOf(inputs, setup, requests),
    nodes,
    cores,
    costUsd:
      cores * assumed(inputs, 'coreCost') +
      memoryGB * assumed(inputs, 'memoryCost') +
      diskGB * assumed(inputs, 'diskHeadroom') * assumed(inputs, 'diskCost'),
  }
}
