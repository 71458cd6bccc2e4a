import { expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { IS_DEEP } from '#test/harness/cases.ts';
import { service } from '#test/harness/service.ts';
import { authorizerTrips, streamDirectly } from '#test/tools/bench/streaming.ts';
import { suiteOf } from '#test/tools/bench/suite.ts';

test.each([
  [25, 2],
  // In `npm test`, the file is smaller. Each test then costs more, because fewer tests share the cost of claiming and
  // completing the file.
  [IS_DEEP ? 250 : 100, 1],
])(
  'Recording a streamed test costs at most 4.5 write units and 6.6 round trips to the table (%i tests per file)',
  async (testsPerSpec, specs) => {
    const { services, organizationId, projectId, keys } = await service();
    const owner = { organizationId, projectId, recordKey: keys.readWrite };
    const settings = { retention: { resultsDays: 365, evidenceDays: 90, filesDays: 30 } };
    await changeProjectSettings(services, { organizationId, projectId, actor: OPERATOR, settings });
    // The first test of an hour extends the terms of its branch and author. These few trips are no part of each test's cost.
    await streamDirectly(services, owner, { ciBuildId: 'first', suite: suiteOf({ specs: 1, testsPerSpec: 1 }) });
    const suite = suiteOf({ specs, testsPerSpec });
    const { messages, tests } = await streamDirectly(services, owner, { ciBuildId: 'streamed', suite });
    const authorizer = await authorizerTrips({ services, recordKey: keys.readWrite });
    expect(messages.writeUnits / tests).toBeLessThanOrEqual(4.5);
    expect(messages.trips / tests + authorizer).toBeLessThanOrEqual(6.6);
  },
);

test('If the published reporter says of a quick test twice that it has ended, the second message does not count its spec file again', async () => {
  const { services, organizationId, projectId, keys } = await service();
  const owner = { organizationId, projectId, recordKey: keys.readWrite };
  // In a file of 80 tests, the second message costs 2.1 write units, 0.5 read units and 1.3 trips. If it counted the whole
  // file again, it would read 9 units more, and 33 in a file of 320 tests.
  const suite = suiteOf({ specs: 1, testsPerSpec: 80 });
  const [once, twice] = [
    await streamDirectly(services, owner, { ciBuildId: 'once', suite }),
    await streamDirectly(services, owner, { ciBuildId: 'twice', suite, areQuick: true }),
  ];
  expect((twice.messages.readUnits - once.messages.readUnits) / twice.tests).toBeLessThanOrEqual(1);
  expect((twice.messages.writeUnits - once.messages.writeUnits) / twice.tests).toBeLessThanOrEqual(2.5);
  expect((twice.messages.trips - once.messages.trips) / twice.tests).toBeLessThanOrEqual(1.6);
});
