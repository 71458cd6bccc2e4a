/** §5.1 The API keys of an organization, without their values. */
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { ListedApiKey } from '#shared/organizations/list-api-keys.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { Ago, FullTime } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { EmptyState, PageHead } from '#shared/pages/design/parts.tsx';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';
import { getLevelName } from './api-key-level.ts';

interface Props {
  readonly visit: OrganizationVisit;
  readonly keys: readonly ListedApiKey[];
  /** By the id of a key, in epoch milliseconds. */
  readonly lastUses: ReadonlyMap<string, number>;
  readonly nameOf: (actor: string) => string;
  readonly now: number;
}

export const ApiKeysPage = ({ visit, keys, ...table }: Props): Html => (
  <>
    <PageHead
      title="API keys"
      meta={
        <span>
          API keys belong to {visit.organizationName}, not to a person. Reporters record with a Read &amp; Write key.
          {!may(visit.person, 'apiKeys:create') && ' Only Admins can create and revoke keys.'}
        </span>
      }
      actions={
        may(visit.person, 'apiKeys:create') && (
          <a class="button" href={linkToOrganizationSettings(visit, 'api-keys', 'new')}>
            <Icon name="plus" />
            New API key
          </a>
        )
      }
    />
    {keys.length === 0 ? (
      <EmptyState icon="key-round" title="There are no keys yet">
        <p>
          {may(visit.person, 'apiKeys:create')
            ? 'Create a Read & Write key to record results, or a Read Only key for scripts that read them.'
            : 'Ask an Admin to create one.'}
        </p>
      </EmptyState>
    ) : (
      <KeyTable visit={visit} keys={keys} {...table} />
    )}
  </>
);

function KeyTable({ visit, keys, lastUses, nameOf, now }: Props): Html {
  const mayRevoke = may(visit.person, 'apiKeys:delete');
  const columns = ['Label', 'Level', ...wide('Ends with'), 'Last use', ...wide('Created')];
  return (
    <DataTable
      label="API keys"
      caption="Oldest first. The value of a key is shown only once, when it is created. “Last use” is that of a sample of its requests, in this month and the last, so it may have been used later"
      columns={mayRevoke ? [...columns, 'Revoke'] : columns}
    >
      {keys.map(({ keyId, label, level, lastFour, createdAt, createdBy }) => (
        <tr>
          <th scope="row">
            {label}
            <div class="narrow">
              <code>…{lastFour}</code>
            </div>
          </th>
          <td>
            <span class="badge">{getLevelName(level)}</span>
          </td>
          <td class="wide">
            <code>…{lastFour}</code>
          </td>
          <td>
            <LastUse at={lastUses.get(keyId)} now={now} />
          </td>
          <td class="wide">
            <FullTime at={createdAt} />
            {createdBy !== undefined && ` by ${nameOf(createdBy)}`}
          </td>
          {mayRevoke && (
            <td>
              <a href={linkToOrganizationSettings(visit, 'api-keys', keyId, 'revoke')} aria-label={`Revoke ${label}`}>
                Revoke…
              </a>
            </td>
          )}
        </tr>
      ))}
    </DataTable>
  );
}

const LastUse = ({ at, now }: { readonly at: number | undefined; readonly now: number }): Html =>
  at === undefined ? <span class="soft">none noted</span> : <Ago at={Math.min(at, now)} now={now} />;
