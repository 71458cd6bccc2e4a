/**
 * The rows that the functions for shares may read. The IAM roles of these functions cannot read credentials, sessions
 * or other private rows, because anybody with a link can call these functions.
 */
import { accounts } from '#shared/model/organizations/account.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { shares } from '#shared/model/organizations/share.ts';
import { failures } from '#shared/model/results/failures.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { runs } from '#shared/model/runs/run.ts';

/**
 * Access to runs and spec files includes their groups, records, evidence and files, because these are in the same
 * partitions.
 */
export const READ_FOR_SHARES = [
  shares,
  organizations,
  memberships,
  accounts,
  projects,
  runs,
  failures,
  testRecords,
] as const;
