/** §5.2 Lists of personal access tokens, without their values. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ListedToken } from '#shared/organizations/list-personal-tokens.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { Ago, formatDate, formatFullTime } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { EmptyState, PageHead } from '#shared/pages/design/parts.tsx';
import { addQuery, linkToAccountForm, linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { EXPIRING_MILLISECONDS } from '#shared/pages/shell/limits.ts';
import type { AccountVisit, OrganizationVisit } from '#shared/sign-in/visit.ts';

interface OwnProps {
  readonly visit: AccountVisit;
  readonly tokens: readonly ListedToken[];
  readonly now: number;
  readonly mayCreate: boolean;
}

export const OwnTokensPage = ({ visit, tokens, now, mayCreate }: OwnProps): Html => (
  <>
    <PageHead
      title="Personal access tokens"
      meta="With a token, scripts and AI tools act as you in one organization, with the permissions that you choose."
      actions={mayCreate && <NewTokenLink visit={visit} />}
    />
    {tokens.length === 0 ? (
      <EmptyState icon="lock" title="You have no tokens">
        <p>
          {mayCreate
            ? 'Create one for a script or an AI tool. You choose what it may do, and until when.'
            : 'Only Admins of an organization can create tokens. Ask an Admin for a Read Only API key instead.'}
        </p>
      </EmptyState>
    ) : (
      <TokenTable
        visit={visit}
        tokens={tokens}
        now={now}
        place={{ name: 'Organization', of: ({ organization }) => organization }}
      />
    )}
  </>
);

interface AllProps extends Pick<OwnProps, 'tokens' | 'now'> {
  readonly visit: OrganizationVisit;
  readonly ownerOf: (token: ListedToken) => string;
}

export const TokensPage = ({ visit, tokens, now, ownerOf }: AllProps): Html => (
  <>
    <PageHead
      title="Tokens of all Admins"
      meta="A personal access token acts as its owner. It stops working when its owner is no longer an Admin of this organization."
      actions={<NewTokenLink visit={visit} organizationId={visit.organizationId} />}
    />
    {tokens.length === 0 ? (
      <EmptyState icon="lock" title="There are no tokens yet">
        <p>With a token, a script or an AI tool acts as the Admin who created the token.</p>
      </EmptyState>
    ) : (
      <TokenTable visit={visit} tokens={tokens} now={now} place={{ name: 'Owner', of: ownerOf }} />
    )}
  </>
);

const NewTokenLink = ({
  visit,
  organizationId,
}: {
  readonly visit: AccountVisit;
  readonly organizationId?: string;
}): Html => (
  <a class="button" href={addQuery(linkToAccountForm(visit, 'tokens/new'), { organization_id: organizationId })}>
    <Icon name="plus" />
    New token
  </a>
);

interface TableProps extends Omit<OwnProps, 'mayCreate'> {
  readonly place: { readonly name: string; readonly of: (token: ListedToken) => string };
}

const TokenTable = ({ visit, tokens, now, place }: TableProps): Html => (
  <DataTable
    label="Personal access tokens"
    columns={['Name', ...wide(place.name), 'State', ...wide('Access', 'Created', 'Last use'), 'Expires', 'Revoke']}
  >
    {tokens.map((token) => (
      <tr>
        <th scope="row">
          {token.name}
          <br />
          <small>{token.description}</small>{' '}
          <small class="narrow">
            {place.of(token)} · {token.permissions.join(', ')} ·{' '}
            {token.lastUsedAt === undefined ? (
              'never used'
            ) : (
              <>
                used <Ago at={token.lastUsedAt} now={now} />
              </>
            )}
          </small>
        </th>
        <td class="wide">{place.of(token)}</td>
        <td>
          <StateBadge {...token} now={now} />
        </td>
        <td class="wide">
          {token.access}
          <br />
          <small>{token.permissions.join(', ')}</small>
        </td>
        <td class="wide">
          <Day at={token.createdAt} />
        </td>
        <td class="wide nowrap">
          {token.lastUsedAt === undefined ? 'never' : <Ago at={token.lastUsedAt} now={now} />}
        </td>
        <td>
          <Day at={token.validUntil} />
        </td>
        <td>
          {token.state !== 'revoked' && (
            <a
              href={linkToOrganizationSettings({ ...visit, ...token }, 'tokens', token.tokenId, 'revoke')}
              aria-label={`Revoke ${token.name}`}
            >
              Revoke…
            </a>
          )}
        </td>
      </tr>
    ))}
  </DataTable>
);

/** The time stands in the tooltip, so that the column is narrow. */
const Day = ({ at }: { readonly at: number }): Html => (
  <span class="nowrap" title={formatFullTime(at)}>
    {formatDate(at)}
  </span>
);

/** A token whose owner has lost the Admin role is refused, but still shown as active. */
const StateBadge = ({ state, validUntil, now }: ListedToken & { readonly now: number }): Html => {
  if (state !== 'live') return <span class="badge">{state}</span>;
  return validUntil - now < EXPIRING_MILLISECONDS ? (
    <span class="badge flaky">expires soon</span>
  ) : (
    <span class="badge passed">active</span>
  );
};
