/** §5 The commands that erase people. */

import { ENVIRONMENTS } from '#infra/build/environments.ts';
import { requirePermission } from '#shared/access/may.ts';
import { eraseAccount } from '#shared/erasure/erase-account.ts';
import { continueErasure } from '#shared/erasure/erase-people.ts';
import { type Erasure, makePseudonym } from '#shared/model/organizations/erasure.ts';
import { getMembershipsSpan, membershipsOfAccount } from '#shared/model/organizations/membership.ts';
import { findAccount, parseEmailAddress } from '#shared/organizations/create-account.ts';
import { listErasures, requestErasure } from '#shared/organizations/erased-people.ts';
import { listOrganizations } from '#shared/organizations/list-organizations.ts';
import { deprovisionMember } from '#shared/organizations/members.ts';
import { type CommandContext, type CommandRow, command } from './command.ts';
import { email, labelsOption, optional, organization } from './options.ts';
import { formatTimeCell } from './screen.ts';

const toErasureRow = ({ organizationId, code, startedAt, startedBy, doneAt, runs, left }: Erasure): CommandRow => ({
  organizationId,
  pseudonym: makePseudonym(code).name,
  address: makePseudonym(code).address,
  startedAt: formatTimeCell(startedAt),
  startedBy,
  doneAt: formatTimeCell(doneAt),
  runs,
  left,
});

const NO_LIMIT = { remainingMilliseconds: () => Number.POSITIVE_INFINITY };

async function eraseIn(
  { services, actor }: CommandContext,
  organizationId: string,
  person: { readonly email: string; readonly names?: readonly string[] | undefined },
): Promise<CommandRow> {
  const erasure = await requestErasure(services, { organizationId, actor, ...person });
  // The first pass runs here, and the schedule of the service makes the second one.
  const due = { organizationId, code: erasure.code, dueAt: erasure.startedAt };
  return toErasureRow((await continueErasure(services, due, NO_LIMIT)) ?? erasure);
}

/** Ends the memberships first, as a company's directory would. */
async function eraseEverywhere(
  context: CommandContext,
  person: { readonly email: string; readonly names?: readonly string[] | undefined },
): Promise<CommandRow[]> {
  const { services, actor } = context;
  requirePermission(actor, 'accounts:erase');
  const account = await findAccount(services, person.email);
  if (account) {
    const { accountId } = account;
    const members = await services.table.queryAll(membershipsOfAccount, getMembershipsSpan(account), CONSISTENT);
    for (const { organizationId } of members) await deprovisionMember(services, { organizationId, accountId, actor });
  }
  const rows: CommandRow[] = [];
  for (const { organizationId } of await listOrganizations(services, { actor }))
    rows.push(await eraseIn(context, organizationId, person));
  // The account goes last, because a repeated command finds the memberships by it.
  if (account) await eraseAccount(services, account);
  return rows;
}

const CONSISTENT = { consistent: true };

/** With the longest times of all environments. */
export function describeWhatStays(): string {
  const all = Object.values(ENVIRONMENTS);
  const fileDays = Math.max(...all.map(({ deletedFilesDays = 0 }) => deletedFilesDays));
  return [
    'The service makes a second pass in 80 minutes, which replaces what was being written meanwhile; "people list" shows when it is done.',
    `Backups still contain the person: point-in-time recovery of the table for ${RECOVERY_DAYS} days, and deleted files for ${fileDays} days. After restoring a table, run this command again.`,
    'Exports, archives and copies outside the service are yours to erase.',
    'Texts that were recorded or typed stay, such as titles of tests, errors, commit messages and labels. An import whose run was recorded from several files keeps its options for at most 90 days.',
  ].join('\n');
}

/** Point-in-time recovery of DynamoDB always covers 35 days. */
const RECOVERY_DAYS = 35;

export const PEOPLE = [
  command({
    name: 'people erase',
    does: 'replace the name and the address of a person by a pseudonym in what organizations have recorded; without --organization in all of them, also in the account, after ending its memberships',
    options: {
      email: email('address of the person, as in their commits; repeat the command for another address'),
      names: optional(labelsOption('<names>', 'names in commits without an address, separated by commas')),
      organization: optional(organization),
    },
    run: async (context, { email, names, organization: organizationId }) => {
      const person = { email: parseEmailAddress(email), names };
      return organizationId === undefined
        ? eraseEverywhere(context, person)
        : [await eraseIn(context, organizationId, person)];
    },
    advice: describeWhatStays,
  }),
  command({
    name: 'people list',
    does: 'list the people that an organization has erased, newest first, by their pseudonyms',
    options: { organization },
    run: async ({ services, actor }, { organization: organizationId }) =>
      (await listErasures(services, { organizationId, actor })).map(toErasureRow),
  }),
];
