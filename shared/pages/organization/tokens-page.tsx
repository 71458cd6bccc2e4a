/** §5.2 Lists of personal access tokens, without their values. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ListedToken } from '#shared/organizations/list-personal-tokens.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { Ago, FullTime } from '#shared/pages/design/format.tsx';
import { accountFormHref, organizationPageHref, withQuery } from '#shared/pages/shell/hrefs.ts';
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
    <h1>Personal access tokens</h1>
    <p>A token lets scripts and AI tools act as you in one organization, with the permissions that you choose.</p>
    {mayCreate ? <NewTokenLink visit={visit} /> : <p>Only Admins of an organization can create tokens.</p>}
    {tokens.length === 0 ? (
      <p class="notice">You have no tokens.</p>
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

interface AllProps {
  readonly visit: OrganizationVisit;
  readonly tokens: readonly ListedToken[];
  readonly now: number;
  /** Display name of a token's owner. */
  readonly ownerOf: (token: ListedToken) => string;
}

export const TokensPage = ({ visit, tokens, now, ownerOf }: AllProps): Html => (
  <>
    <h1>Personal access tokens of all Admins</h1>
    <p>A token acts as its owner. It stops working when its owner is no longer an Admin here.</p>
    <NewTokenLink visit={visit} organizationId={visit.organizationId} />
    {tokens.length === 0 ? (
      <p class="notice">There are no tokens yet.</p>
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
  <p>
    <a class="button" href={withQuery(accountFormHref(visit, 'tokens/new'), { organization_id: organizationId })}>
      New token
    </a>
  </p>
);

interface TableProps extends Pick<OwnProps, 'visit' | 'tokens' | 'now'> {
  readonly place: { readonly name: string; readonly of: (token: ListedToken) => string };
}

const TokenTable = ({ visit, tokens, now, place }: TableProps): Html => (
  <DataTable
    label="Personal access tokens"
    caption="Oldest first. The value of a token is shown only once, when it is created"
    columns={['Name', ...wide(place.name), 'State', ...wide('Access', 'Created', 'Last use'), 'Expires', 'Revoke']}
  >
    {tokens.map((token) => (
      <tr>
        <th scope="row">
          {token.name}
          <br />
          <small>{token.description}</small>{' '}
          <small class="narrow">
            {place.of(token)} · {token.permissions.join(', ')}
          </small>
        </th>
        <td class="wide">{place.of(token)}</td>
        <td>{stateOf(token, now)}</td>
        <td class="wide">
          {token.access}
          <br />
          <small>{token.permissions.join(', ')}</small>
        </td>
        <TokenTimes token={token} now={now} />
        <td>{token.state !== 'revoked' && <RevokeLink visit={visit} token={token} />}</td>
      </tr>
    ))}
  </DataTable>
);

const TokenTimes = ({ token, now }: { readonly token: ListedToken; readonly now: number }): Html => (
  <>
    <td class="wide">
      <FullTime at={token.createdAt} />
    </td>
    <td class="wide">{token.lastUsedAt === undefined ? 'never' : <Ago at={token.lastUsedAt} now={now} />}</td>
    <td>
      <FullTime at={token.validUntil} />
    </td>
  </>
);

const RevokeLink = ({ visit, token }: { readonly visit: AccountVisit; readonly token: ListedToken }): Html => (
  <a
    href={organizationPageHref({ ...visit, ...token }, 'settings', 'tokens', token.tokenId, 'revoke')}
    aria-label={`Revoke ${token.name}`}
  >
    Revoke…
  </a>
);

/** The listed state. A token whose owner lost the Admin role is refused, but still listed as active. */
function stateOf({ state, validUntil }: ListedToken, now: number): string {
  if (state !== 'live') return state;
  return validUntil - now < EXPIRING_MILLISECONDS ? 'expires soon' : 'active';
}
