/** Names the subjects of audit records, which hold ids. */
import type { AuditName } from '#shared/access/actions.ts';
import { actorName, CLEAN_UP } from '#shared/access/actor.ts';
import { lookup } from '#shared/engine/table/found.ts';
import { accounts } from '#shared/model/account.ts';
import type { AuditRecord } from '#shared/model/audit-record.ts';
import { projects } from '#shared/model/project.ts';
import { webhooks } from '#shared/model/webhook.ts';
import type { CoreServices } from '#shared/services.ts';

type Kind = 'account' | 'project' | 'webhook';

const KINDS: Readonly<Partial<Record<AuditName, Kind>>> = {
  'project created': 'project',
  'project changed': 'project',
  'notice created': 'project',
  'notice changed': 'project',
  'notice deleted': 'project',
  'notice enabled': 'project',
  'notice disabled': 'project',
  'webhook created': 'webhook',
  'webhook changed': 'webhook',
  'webhook deleted': 'webhook',
  'webhook secret rotated': 'webhook',
  'webhook secret deleted': 'webhook',
  'sign-in link created': 'account',
  'passkey added': 'account',
  'passkey removed': 'account',
  'member joined': 'account',
  'member added': 'account',
  'role changed': 'account',
  'member removed': 'account',
  'member left': 'account',
  'member deprovisioned': 'account',
};

/** The texts of subjects that no longer exist. */
const GONE: Readonly<Record<Kind, string>> = {
  account: 'a deleted account',
  project: 'a deleted project',
  webhook: 'a deleted webhook',
};

type Named = Pick<AuditRecord, 'organizationId' | 'action' | 'subject' | 'detail' | 'actor'>;

/** Takes one trip. `undefined` for a subject that is its own name, such as an e-mail address. */
export async function subjectNames(
  { table }: Pick<CoreServices, 'table'>,
  records: readonly Named[],
): Promise<(record: Named) => string | undefined> {
  const rows = records.map((record) => lookupsOf(record));
  const found = await table.getTogether(rows.flatMap((row) => Object.values(row)));
  const names = new Map(
    records.map((record, index) => {
      const { account, project, webhook } = rows[index] ?? {};
      const live = webhook && found.of(webhook);
      const name =
        (account && found.of(account)?.name) ??
        (project && found.of(project)?.name) ??
        (live && (live.label ?? new URL(live.url).host));
      const kind = kindOf(record);
      return [record, kind ? (name ?? GONE[kind]) : nameInDetail(record)] as const;
    }),
  );
  return (record) => names.get(record);
}

const kindOf = ({ action }: Named): Kind | undefined => Object.entries(KINDS).find(([name]) => name === action)?.[1];

function lookupsOf(record: Named) {
  const { organizationId, subject } = record;
  const kind = kindOf(record);
  if (kind === 'account') return { account: lookup(accounts, { accountId: subject }) };
  if (kind === 'project') return { project: lookup(projects, { organizationId, projectId: subject }) };
  return kind === 'webhook' ? { webhook: lookup(webhooks, { organizationId, hookId: subject }) } : {};
}

/** Records of credentials and organizations keep the name. */
function nameInDetail({ action, detail, actor }: Named): string | undefined {
  if (action.startsWith('API key ')) return detail.replace(/ \([^()]*\)$/, '');
  // The clean-up adds its reason.
  if (action.startsWith('token ')) return actor === actorName(CLEAN_UP) ? detail.replace(/: [^:]*$/, '') : detail;
  return action.startsWith('organization ') ? detail : undefined;
}
