import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import type { Declaration } from '#shared/platform/declaration.ts';
import { attack } from '#test/harness/attacks.ts';
import { cases, IS_DEEP } from '#test/harness/cases.ts';
import { query } from '#test/harness/client.ts';
import { service, type Tenant } from '#test/harness/service.ts';
import { hostileValue, mutated } from './hostile.ts';
import { ACTION_SAMPLES } from './sample-actions.ts';
import { authorized, goodRequest, sampleWorld, validCredential } from './sample-requests.ts';
import type { World } from './sample-shapes.ts';
import { WEBHOOK_SAMPLES } from './sample-webhooks.ts';
import { send } from './wire.ts';

const withBody = (await loadDeclarations()).flatMap(({ declaration }) =>
  declaration.body && declaration.bodyFormat === 'json'
    ? [[`${declaration.method} ${declaration.path}`, declaration] as const]
    : [],
);

type Read = (tenant: Tenant, world: World, answer: { readonly runId?: string }) => Promise<void>;

/** The statuses of successes and refusals. Any other status is a bug. */
const ANSWERS = [200, 201, 400, 401, 404, 409, 413, 422];

const worlds: Record<string, ReturnType<typeof prepared>> = {};
/** Returns the test data of an operation. In `npm test`, operations that need the same data share it. */
function worldOf({ operationId }: Declaration, needed: string) {
  const sharing = withBody
    .map(([, one]) => one)
    .filter((one) => (IS_DEEP ? one.operationId === operationId : readAfter(one)[0] === needed));
  const name = IS_DEEP ? operationId : needed;
  worlds[name] ??= prepared([...sharing, { operationId: needed }]);
  return worlds[name];
}

async function prepared(operations: readonly Pick<Declaration, 'operationId'>[]) {
  const tenant = await service();
  return { tenant, world: await sampleWorld(tenant, operations) };
}

describe.each(withBody)('%s', (_, declaration) => {
  test('An operation responds to any JSON with success or a 4xx error, and the data can still be read after a success', async () => {
    const [needed, expectReadable] = readAfter(declaration);
    const { tenant, world } = await worldOf(declaration, needed);
    const credential = await validCredential(tenant, declaration);
    const good = JSON.parse(String(goodRequest(declaration, world).body));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 1, arbitrary: hostileValue }, { weight: 8, arbitrary: mutated(good) }),
        async (body) => {
          const answer = await sent(tenant, declaration, world, { credential, body: JSON.stringify(body) ?? '' });
          attack('hostile bodies');
          expect(ANSWERS).toContain(answer.status);
          if (answer.status < 300) await expectReadable(tenant, world, answer.body);
        },
      ),
      { numRuns: cases(60, 4) },
    );
  });
});

async function sent(
  { origin }: { readonly origin: string },
  declaration: Declaration,
  world: World,
  { credential, body }: { readonly credential: string; readonly body: string },
) {
  const request = { ...goodRequest(declaration, world), body };
  const keyed = declaration.credential === 'body' ? request : authorized(declaration, request, credential);
  const { status, body: bytes } = await send(origin, keyed);
  return { status, body: JSON.parse(bytes.toString()) };
}

async function expectAnswers({ api }: Tenant, paths: readonly string[]) {
  const answers = await Promise.all(paths.map((path) => api.get(path)));
  for (const { status } of answers) expect(status).toBe(200);
  return answers;
}

/** Reads the runs, instances, lists and the history that an accepted recording may have changed. */
const readRuns: Read = async (tenant, world, answer) => {
  const runs = [...new Set([world.runId, answer.runId ?? world.runId])];
  const wholes = await expectAnswers(
    tenant,
    runs.map((runId) => `/runs/${encodeURIComponent(runId)}`),
  );
  const instances = wholes.flatMap(({ body }) =>
    body.data.specs.map((spec: { instanceId: string }) => spec.instanceId),
  );
  await expectAnswers(tenant, [
    ...instances.slice(0, 20).map((id: string) => `/instances/${id}`),
    `/projects/${tenant.projectId}/runs?limit=50`,
    `/test-results/${world.signature}${query(['date_start', '2026-11-01'], ['date_end', '2026-12-01'])}`,
  ]);
};

const readActions: Read = async (tenant) =>
  void (await expectAnswers(tenant, [`/actions?projectId=${tenant.projectId}`]));

const readWebhooks: Read = async (tenant, { hookId }) =>
  void (await expectAnswers(tenant, [`/webhooks?projectId=${tenant.projectId}`, `/webhooks/${hookId}/deliveries`]));

/**
 * Returns the operation whose sample data the request needs, and a function that reads what the request may have
 * changed.
 */
function readAfter({ operationId }: Declaration): readonly [needed: string, Read] {
  if (operationId in WEBHOOK_SAMPLES) return ['listDeliveries', readWebhooks];
  return operationId in ACTION_SAMPLES ? ['listActions', readActions] : ['getRun', readRuns];
}
