import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { cases, IS_DEEP } from '#test/harness/cases.ts';
import { client } from '#test/harness/client.ts';
import { type Answers, recordOver, seeded, shuffled } from '#test/harness/recording-network.ts';
import { expectRunToBe } from '#test/harness/recording-readback.ts';
import {
  type Delivered,
  deliver,
  INHERITED_TAGS,
  loadReduced,
  loadReport,
  namesFor,
  replay,
} from '#test/harness/recording-replay.ts';
import { testsOfReport } from '#test/harness/recording-report.ts';
import { kindsOf, rowsOfRun } from '#test/harness/recording-rows.ts';
import { findAssembly, findPackages } from '#test/harness/stage.ts';
import { showErrorsIfFailed, start, temporaryFolder } from '#test/infra/local/child.ts';

/**
 * The number of times that the service is killed: at most 100 in `npm run test:deep`, because each kill requires a
 * restart.
 */
const KILLS = Math.min(cases(8, 3), 100);
/**
 * Spec files of two groups that together cause every kind of request. `npm run test:deep` records all spec files
 * instead.
 */
const SPECS = ['retail cart.spec.ts', 'retail checkout/payment.spec.ts', 'wholesale price-import.spec.ts'];
const isRecorded = ({ group, spec }: { group: string; spec: string }) => IS_DEEP || SPECS.includes(`${group} ${spec}`);
/** The maximum delay between a request and the kill, in milliseconds. It is about the duration of a request. */
const WAIT_MILLISECONDS = 20;

const Served = z.object({
  recordUrl: z.string(),
  environment: z.record(z.string(), z.string()),
  projects: z.array(z.object({ projectId: z.string() })),
  apiKeys: z.object({ readWrite: z.string() }),
});

async function serve(folder: string, port: string) {
  const child = start(['test/end-to-end/serve.ts', folder, await findAssembly(), port, await findPackages()]);
  showErrorsIfFailed(child);
  if (!child.stdout) throw new Error('The service has no standard output');
  const ended = once(child, 'exit').then(() => ['{}']);
  const [line] = z.tuple([z.string()]).parse(await Promise.race([once(createInterface(child.stdout), 'line'), ended]));
  return { child, ...Served.parse(JSON.parse(line)) };
}

/**
 * Starts a service that is killed whenever its number of responses reaches one of `moments`. The client repeats each
 * request that got no response or a 5xx.
 */
async function mortalService(moments: readonly number[], random: () => number) {
  const folder = await temporaryFolder();
  let serving = serve(folder, '0');
  const { recordUrl, projects, apiKeys } = await serving;
  const { port } = new URL(recordUrl);
  const count = { kills: 0, answered: 0, interrupted: 0 };
  const kill = async () => {
    const { child } = await serving;
    await new Promise((resolve) => setTimeout(resolve, random() * WAIT_MILLISECONDS));
    child.kill('SIGKILL');
    await once(child, 'exit');
    return serve(folder, port);
  };
  const insistently: typeof deliver = async (origin, entry, names) => {
    for (;;) {
      await serving;
      if (count.answered >= (moments[count.kills] ?? Number.POSITIVE_INFINITY)) {
        count.kills += 1;
        serving = kill();
      }
      const delivered = await deliver(origin, entry, names).catch(() => undefined);
      if (delivered && delivered.status < 500) {
        count.answered += 1;
        return delivered;
      }
      count.interrupted += 1;
    }
  };
  const projectId = projects.map((project) => project.projectId)[0] ?? '';
  const tenant = { projectId, keys: apiKeys, api: client(recordUrl, apiKeys.readWrite) };
  return {
    origin: recordUrl,
    tenant,
    deliver: insistently,
    count,
    environment: async () => (await serving).environment,
  };
}

/** Removes the query string of the link in a response, because its signature differs each time. */
const summaryOf = ({ status, body }: Delivered) => `${status} ${body.replace(/\?[^"]*/, '')}`;
const isUnequal = (answers: Answers) =>
  new Set(answers.map(summaryOf)).size !== 1 || (answers[0]?.status ?? 500) >= 300;

describe('kill -9 of the whole service', () => {
  test(`After kill -9 at ${KILLS} moments of a recording, no acknowledged data is missing and nothing is counted twice`, async () => {
    const random = seeded(20);
    const entries = await loadReduced(isRecorded, { uploads: true });
    const moments = shuffled([...entries.keys()], random)
      .slice(0, KILLS)
      .sort((one, other) => one - other);
    const service = await mortalService(moments, random);
    const names = namesFor(service.tenant, 'killed');
    const network = { loss: 0, copies: 0.2, atOnce: 4, random, deliver: service.deliver };
    const answers = await recordOver(network, { origin: service.origin, entries, names });
    expect(service.count.kills).toBe(KILLS);
    expect(service.count.interrupted).toBeGreaterThan(0);
    expect(answers.filter(isUnequal)).toEqual([]);
    const environment = await service.environment();
    const expected = testsOfReport(await loadReport(), INHERITED_TAGS).filter(isRecorded);
    await expectRunToBe(service.tenant, names.get('runId') ?? '', expected);
    const quiet = namesFor(service.tenant, 'quiet');
    await replay(service.origin, entries, quiet);
    const rows = async (runId = '') => kindsOf(await rowsOfRun(environment, runId));
    expect(await rows(names.get('runId'))).toEqual(await rows(quiet.get('runId')));
  });
});
