/** §5 Who changed what about an organization's people, credentials and webhooks. Written with the change, or not at all. */
import { beginningWith, type Entity } from '../table/entity.ts';
import { composed, instantKey, prefix } from '../table/keys.ts';
import { stored } from '../table/stored.ts';

export interface AuditRecord {
  readonly organizationId: string;
  /** Milliseconds. */
  readonly at: number;
  readonly auditId: string;
  /** Who did it: an account id, an API key by its label, `operator` at the command line, or `clean-up`. */
  readonly actor: string;
  readonly action: string;
  /** Id of what was changed; never a credential's value. */
  readonly subject: string;
  readonly detail: string;
}

export const auditRecords: Entity<Pick<AuditRecord, 'organizationId' | 'at' | 'auditId'>, AuditRecord> = {
  type: 'audit record',
  patterns: [
    { question: 'What was changed in an organization, in order', key: 'pk = AUDIT#org, sk = AUDIT#at#record' },
  ],
  key: ({ organizationId, at, auditId }) => ({
    pk: composed('AUDIT', organizationId),
    sk: composed('AUDIT', instantKey(at), auditId),
  }),
  store: (record) => ({ ...record }),
  load: (row) => stored<AuditRecord>(row),
};

export const auditSpan = ({ organizationId }: Pick<AuditRecord, 'organizationId'>) =>
  beginningWith(composed('AUDIT', organizationId), prefix('AUDIT'));
