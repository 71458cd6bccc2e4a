/** The default limits protect organizations from each other, so they refuse nothing to the only one. */
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { monthsOfRequests, storedBytes } from '#shared/model/usage/usage.ts';
import { GIGABYTE, parseUsageLimits, resolveRefusals } from '#shared/model/usage/usage-limits.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { listOrganizations } from '#shared/organizations/list-organizations.ts';
import { changeUsageLimits, type UsageLimitsChange } from '#shared/organizations/usage-limits.ts';
import { USAGE_LIMITS } from '#shared/usage/limits.ts';
import { formatMonth } from '#shared/usage/periods.ts';
import { recordRun } from '#test/harness/recording.ts';
import { failed, runBody, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, logLines, service, type Tenant, type TestService } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

type Stage = TestService & Tenant;

const TEST = 'cart.spec.ts > sums';
const FILE = { artifactId: 'a1', type: 'attachment', name: 'notes', attemptId: 0, contentType: 'text/plain' };

/** Deactivates all other organizations of the file, as an operator would, and lets the service notice. */
async function alone(): Promise<Stage> {
  const here = await service();
  const { services, organizationId: own } = here;
  for (const { organizationId } of await listOrganizations(services, { actor: OPERATOR }))
    if (organizationId !== own) await deactivateOrganization(services, { organizationId, actor: OPERATOR });
  await here.runSchedule('removeOrganizations');
  return here;
}

/** Uses more of everything than the defaults of dev allow, even for recordings. */
async function useTooMuch({ services, organizationId }: Stage): Promise<void> {
  const month = { organizationId, month: formatMonth(Date.now()) };
  await services.table.update(monthsOfRequests, month, { set: [['requests', 12_500_000]] });
  await services.table.update(storedBytes, { organizationId }, { set: [['balance', 51 * GIGABYTE]] });
  clock.advance(USAGE_LIMITS.freshMilliseconds);
}

/** The answers to a read, to the start of a run, and to the announcement of a file of a run that is in progress. */
async function tryAll(here: Stage, recordId: string | undefined): Promise<number[]> {
  const started = runBody(here.projectId, [suiteGroup('retail', [TEST])]);
  const answers = [
    await here.reader.get('/projects'),
    await here.api.post('@/runs/v1', started),
    await here.api.post(`@/artifacts/test-record/${recordId}`, FILE),
  ];
  return answers.map(({ status }) => status);
}

const limit = ({ services, organizationId }: Stage, change: UsageLimitsChange) =>
  changeUsageLimits(services, { organizationId, actor: OPERATOR, change });

const isNotedAsOnly = async ({ services, organizationId }: Stage) =>
  (await services.table.get(organizations, { organizationId }))?.isOnly === true;

describe('The only organization of a deployment', () => {
  test('The default limits of a month and of storage refuse nothing to the only organization, and refuse as soon as a second one is active', async () => {
    const here = await alone();
    const { records } = await recordRun(here, { retail: { tests: { [TEST]: failed() } } });
    const record = records[`retail ${TEST}`];
    await useTooMuch(here);
    expect(await tryAll(here, record)).toEqual([200, 200, 200]);
    await here.tenant();
    await here.runSchedule('removeOrganizations');
    expect(await tryAll(here, record)).toEqual([429, 429, 429]);
    const month = { organizationId: here.organizationId, month: formatMonth(Date.now()) };
    await here.services.table.update(monthsOfRequests, month, { set: [['requests', 0]] });
    clock.advance(USAGE_LIMITS.freshMilliseconds);
    expect(await tryAll(here, record)).toEqual([200, 200, 422]);
  });

  test.each<[string, UsageLimitsChange, number[]]>([
    ['a month', { requestsPerMonth: 1_000_000 }, [429, 429, 429]],
    ['storage', { storedBytes: 50 * GIGABYTE }, [200, 200, 422]],
  ])('A limit of %s that the operator sets refuses the only organization, too', async (_, change, statuses) => {
    const here = await alone();
    const { records } = await recordRun(here, { retail: { tests: { [TEST]: failed() } } });
    await useTooMuch(here);
    await limit(here, change);
    expect(await tryAll(here, records[`retail ${TEST}`])).toEqual(statuses);
  });

  test('Limits that are settings of the deployment refuse the only organization, and the others do not', () => {
    const byDefault = parseUsageLimits('1000 60 5 storedBytes');
    expect(resolveRefusals({ isOnly: true }, byDefault)).toEqual({
      requestsPerMonth: Number.POSITIVE_INFINITY,
      keyRequestsPerMinute: 60,
      storedBytes: 5 * GIGABYTE,
    });
    expect(resolveRefusals({}, byDefault)).toEqual({
      requestsPerMonth: 1000,
      keyRequestsPerMinute: 60,
      storedBytes: 5 * GIGABYTE,
    });
  });

  test('The only organization is warned in the log and on its pages, which say that nothing is refused', async () => {
    const here = await alone();
    const month = { organizationId: here.organizationId, month: formatMonth(Date.now()) };
    await here.services.table.update(monthsOfRequests, month, { set: [['requests', 7_999_990]] });
    clock.advance(USAGE_LIMITS.freshMilliseconds);
    for (let sent = 0; sent < USAGE_LIMITS.sampleEvery; sent += 1) await here.reader.get('/projects');
    const lines = logLines.filter((line) => line.includes('limit of requests') && line.includes(here.organizationId));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/refuses\W+false/);
    const admin = await signedIn(here, 'admin');
    const { text } = await admin.get(`/${here.organizationId}`);
    expect(text).toContain('Nothing is refused, because no other organization uses this service.');
  });
});

test('An organization is noted as the only one within five minutes, and no longer when another one is active', async () => {
  const first = await alone();
  expect(await isNotedAsOnly(first)).toBe(true);
  const second = { ...first, ...(await first.tenant()) };
  await first.runSchedule('removeOrganizations');
  expect([await isNotedAsOnly(first), await isNotedAsOnly(second)]).toEqual([false, false]);
  await deactivateOrganization(first.services, { organizationId: first.organizationId, actor: OPERATOR });
  await first.runSchedule('removeOrganizations');
  expect([await isNotedAsOnly(first), await isNotedAsOnly(second)]).toEqual([false, true]);
});
