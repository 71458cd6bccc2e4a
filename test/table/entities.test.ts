import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accounts } from '#shared/resources/account.ts';
import { apiKeys } from '#shared/resources/api-key.ts';
import { artifacts } from '#shared/resources/artifact.ts';
import { auditRecords } from '#shared/resources/audit-record.ts';
import { checkpoints } from '#shared/resources/checkpoint.ts';
import { deliveries } from '#shared/resources/delivery.ts';
import { evidenceParts, traceAnalyses } from '#shared/resources/evidence.ts';
import { failures } from '#shared/resources/failures.ts';
import { groups } from '#shared/resources/group.ts';
import { history } from '#shared/resources/history-row.ts';
import { instances } from '#shared/resources/instance.ts';
import { detailsParts, joinDetails, splitDetails } from '#shared/resources/instance-details.ts';
import { invitations } from '#shared/resources/invitation.ts';
import { memberships } from '#shared/resources/membership.ts';
import { organizations } from '#shared/resources/organization.ts';
import { personalTokens } from '#shared/resources/personal-token.ts';
import { projects, projectsOfOrganization } from '#shared/resources/project.ts';
import { runs, runsOfProject } from '#shared/resources/run.ts';
import { testRecords } from '#shared/resources/test-record.ts';
import { webhooks, webhooksOfProject } from '#shared/resources/webhook.ts';
import type { Entity } from '#shared/table/entity.ts';
import { itemOf } from '#shared/table/writes.ts';
import { service } from '#test/harness/service.ts';
import { evidencePart, instanceFailures, traceAnalysis } from './any-evidence.ts';
import { artifact, detailsPart, historyRow, instance, instanceDetails, testRecord } from './any-execution.ts';
import { account, auditRecord, invitation, membership, personalToken } from './any-person.ts';
import { apiKey, checkpoint, group, listedProject, listedRun, organization, project, run } from './any-run.ts';
import { delivery, listedWebhook, webhook } from './any-webhook.ts';

/** Those members of an item that another one has, too: an item from the table carries its keys beside them. */
const membersOf = (item: object, other: object): object =>
  Object.fromEntries(Object.entries(item).filter(([name]) => Object.hasOwn(other, name)));

/** Hides the type of the item, which differs from row to row. */
const row = <Key, Item extends Key & object>(entity: Entity<Key, Item>, item: fc.Arbitrary<Item>) =>
  [
    entity.type,
    async (): Promise<void> => {
      const { services } = await service();
      await fc.assert(
        fc.asyncProperty(item, async (stored) => {
          await services.table.put(entity, stored);
          const loaded = await services.table.get(entity, stored);
          if (!loaded) throw new Error('What was put is not there');
          expect(membersOf(loaded, stored)).toEqual(stored);
          expect(itemOf(entity, loaded)).toEqual(itemOf(entity, stored));
        }),
        { numRuns: 40 },
      );
    },
  ] as const;

describe('What is stored comes back equal', () => {
  test.each([
    row(organizations, organization),
    row(apiKeys, apiKey),
    row(accounts, account),
    row(memberships, membership),
    row(invitations, invitation),
    row(personalTokens, personalToken),
    row(auditRecords, auditRecord),
    row(checkpoints, checkpoint),
    row(projects, project),
    row(projectsOfOrganization, listedProject),
    row(runs, run),
    row(runsOfProject, listedRun),
    row(groups, group),
    row(instances, instance),
    row(testRecords, testRecord),
    row(artifacts, artifact),
    row(history, historyRow),
    row(detailsParts, detailsPart),
    row(evidenceParts, evidencePart),
    row(traceAnalyses, traceAnalysis),
    row(failures, instanceFailures),
    row(webhooks, webhook),
    row(webhooksOfProject, listedWebhook),
    row(deliveries, delivery),
  ])('of the kind %s', (_, holds) => holds());
});

describe('Details of an instance', () => {
  test('are whole again whatever number of items they take', () => {
    fc.assert(
      fc.property(instanceDetails, fc.nat(), (details, version) => {
        expect(joinDetails(splitDetails(details, version))).toEqual(details);
      }),
      { numRuns: 40 },
    );
  });

  test('of hundreds of kilobytes take several items, and are nothing unless all of one writing are there', () => {
    const [details] = fc.sample(instanceDetails, 1);
    if (!details) throw new Error('No sample');
    const message = randomBytes(600_000).toString('base64');
    const heavy = { ...details, commit: { ...details.commit, message } };
    const parts = splitDetails(heavy, 3);
    expect(parts.length).toBeGreaterThan(1);
    for (const { bytes } of parts) expect(bytes.length).toBeLessThan(400_000);
    expect(joinDetails(parts)).toEqual(heavy);
    expect(joinDetails(parts.slice(1))).toBeUndefined();
    expect(joinDetails(parts.slice(0, -1))).toBeUndefined();
    expect(joinDetails([...splitDetails(details, 4), ...parts.slice(1)])).toEqual(details);
    expect(joinDetails([])).toBeUndefined();
  });
});
