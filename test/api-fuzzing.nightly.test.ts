import { it, onTestFinished } from 'vitest'
import { startPlatformSimulator } from '../simulator/simulator.ts'
import { createPythonEnvironment } from './python.ts'
import { startTestService } from './service.ts'

// Holds (HTTP and secrets): whatever a call is sent, the answer is a declared one and no 5xx

const seed = process.env.TEST_SEED ?? '1'

/** A stream does not end, signing out would end the calls, and a database of the tests has no directory to back up. */
const excluded = ['/api/v1/scrape/{jobId}/events', '/api/session', '/api/admin/backup']

it('schemathesis finds no undeclared answer', { timeout: 900_000 }, async () => {
  console.log(`schemathesis: seed ${seed} (set TEST_SEED to repeat it)`)
  const python = await createPythonEnvironment(['schemathesis==4.32.5'])
  onTestFinished(() => python.remove())
  const simulator = await startPlatformSimulator({ limits: 'none' })
  onTestFinished(() => simulator.stop())
  const service = await startTestService({ environment: simulator.environment, placesRequests: true })
  onTestFinished(() => service.stop())
  const job = await service.client.scrape({ topic: 'dark mode', platforms: ['github'], depth: 2 })
  await service.client.waitForJob(job.body.data.jobId)
  const of = (key: string, pattern: string) =>
    python.run('st', [
      ...['run', `${service.url}/openapi.json`, '--header', `Authorization: Bearer ${key}`, '--seed', seed],
      ...[
        '--checks',
        'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance',
      ],
      ...['--phases', 'examples,coverage,fuzzing', '--max-examples', process.env.FUZZING_EXAMPLES ?? '30'],
      ...['--include-path-regex', pattern, ...excluded.flatMap((path) => ['--exclude-path', path])],
      ...['--continue-on-failure', '--no-color', '--workers', '2'],
    ])
  await of(service.apiKey, '^/(api/v1|compat)/')
  await of(service.adminKey, '^/api/admin/')
})
