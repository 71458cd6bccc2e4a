import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Entity } from '#shared/engine/table/entity.ts';
import { buildItem } from '#shared/engine/table/writes.ts';
import { checkpoints } from '#shared/model/checkpoint.ts';
import { deliveries } from '#shared/model/events/delivery.ts';
import { webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import { apiKeys } from '#shared/model/organizations/api-key.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations } from '#shared/model/organizations/invitation.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { personalTokens } from '#shared/model/organizations/personal-token.ts';
import { projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { artifacts } from '#shared/model/results/artifact.ts';
import { evidenceParts, traceAnalyses } from '#shared/model/results/evidence.ts';
import { failures } from '#shared/model/results/failures.ts';
import { history } from '#shared/model/results/history-row.ts';
import { instances } from '#shared/model/results/instance.ts';
import { detailsParts, joinDetails, splitDetails } from '#shared/model/results/instance-details.ts';
import { instanceResets } from '#shared/model/results/instance-reset.ts';
import { shownFiles } from '#shared/model/results/shown-files.ts';
import { suiteKeys } from '#shared/model/results/suite-keys.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { uploadTallies } from '#shared/model/results/upload-tally.ts';
import { groups } from '#shared/model/runs/group.ts';
import { progressRows } from '#shared/model/runs/progress.ts';
import { runs, runsOfProject } from '#shared/model/runs/run.ts';
import { cases } from '#test/harness/cases.ts';
import { noise } from '#test/harness/noise.ts';
import { service } from '#test/harness/service.ts';
import { evidencePart, failure, traceAnalysis } from './any-evidence.ts';
import {
  detailsPart,
  historyRow,
  instance,
  instanceDetails,
  reset,
  suite,
  tally,
  testRecord,
} from './any-execution.ts';
import { artifact, shown } from './any-file.ts';
import { account, auditRecord, invitation, membership, personalToken } from './any-person.ts';
import {
  apiKey,
  checkpoint,
  group,
  listedProject,
  listedRun,
  organization,
  progress,
  project,
  run,
} from './any-run.ts';
import { delivery, listedWebhook, webhook } from './any-webhook.ts';

/** Returns only the properties of `item` that `other` also has. This leaves out the table keys of a stored item. */
const membersOf = (item: object, other: object): object =>
  Object.fromEntries(Object.entries(item).filter(([name]) => Object.hasOwn(other, name)));

/** Hides the type of the item, so that rows of all item types fit into one list. */
const row = <Key, Item extends Key & object>(entity: Entity<Key, Item>, item: fc.Arbitrary<Item>) =>
  [
    entity.type,
    async (): Promise<void> => {
      const { services } = await service();
      await fc.assert(
        fc.asyncProperty(item, async (stored) => {
          await services.table.put(entity, stored);
          const loaded = await services.table.get(entity, stored);
          if (!loaded) throw new Error('The stored item is missing');
          expect(membersOf(loaded, stored)).toEqual(stored);
          expect(buildItem(entity, loaded)).toEqual(buildItem(entity, stored));
        }),
        { numRuns: cases(40, 15) },
      );
    },
  ] as const;

describe('A stored item', () => {
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
    row(shownFiles, shown),
    row(history, historyRow),
    row(detailsParts, detailsPart),
    row(evidenceParts, evidencePart),
    row(traceAnalyses, traceAnalysis),
    row(failures, failure),
    row(progressRows, progress),
    row(suiteKeys, suite),
    row(uploadTallies, tally),
    row(instanceResets, reset),
    row(webhooks, webhook),
    row(webhooksOfProject, listedWebhook),
    row(deliveries, delivery),
  ])('An item of the kind %s is read back unchanged', (_, holds) => holds());
});

describe('The details of an instance', () => {
  test('can be restored from the table items into which they were split', () => {
    fc.assert(
      fc.property(instanceDetails, fc.nat(), (details, version) => {
        expect(joinDetails(splitDetails(details, { version, expiresAt: undefined }))).toEqual(details);
      }),
      { numRuns: cases(40) },
    );
  });

  test('Large details of an instance take several table items, and are read as undefined unless all of these items exist', () => {
    const [details] = fc.sample(instanceDetails, 1);
    if (!details) throw new Error('No sample');
    const message = noise(600_000).toString('base64');
    const heavy = { ...details, commit: { ...details.commit, message } };
    const parts = splitDetails(heavy, { version: 3, expiresAt: undefined });
    expect(parts.length).toBeGreaterThan(1);
    for (const { bytes } of parts) expect(bytes.length).toBeLessThan(400_000);
    expect(joinDetails(parts)).toEqual(heavy);
    expect(joinDetails(parts.slice(1))).toBeUndefined();
    expect(joinDetails(parts.slice(0, -1))).toBeUndefined();
    expect(joinDetails([...splitDetails(details, { version: 4, expiresAt: undefined }), ...parts.slice(1)])).toEqual(
      details,
    );
    expect(joinDetails([])).toBeUndefined();
  });
});
