/** Lists the active shares of a project. */

import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { Share } from '#shared/model/organizations/share.ts';
import { DataTable, wide, wideNumbers } from '#shared/pages/design/data-table.tsx';
import { AskedButton } from '#shared/pages/design/fields.tsx';
import { Ago, FullTime, formatCount, formatQuantity } from '#shared/pages/design/format.tsx';
import { EmptyState, PageHead } from '#shared/pages/design/parts.tsx';
import { linkToRuns, linkToShares } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props extends WithForms<ProjectVisit> {
  readonly shares: readonly Share[];
  readonly now: number;
  readonly creatorOf: (share: Share) => string;
}

export const SharesPage = ({ visit, shares, now, creatorOf, refused }: Props): Html => (
  <>
    <PageHead
      title="Shares"
      meta="Links to results of this project. Anyone who has such a link can open it."
      actions={
        may(visit.person, 'shares:revokeAny') &&
        shares.length > 0 && (
          <a class="button quiet" href={linkToShares(visit, 'revoke')}>
            Revoke all…
          </a>
        )
      }
    />
    <RefusalMessage refused={refused} of="submitRevokeShare" title="The share was not revoked." />
    {shares.length === 0 ? (
      <EmptyState icon="external-link" title="Nothing is shared">
        <p>Open a failed test and choose Share. The link works without an account until it expires.</p>
        <a class="button quiet" href={linkToRuns(visit, { 'status[]': 'FAILED' })}>
          Failed runs
        </a>
      </EmptyState>
    ) : (
      <DataTable
        label="Shares"
        columns={['Result', ...wide('For', 'Created by', 'Created'), 'Ends', ...wideNumbers('Opened'), 'Revoke']}
      >
        {shares.map((share) => (
          <ShareRow visit={visit} share={share} now={now} creator={creatorOf(share)} />
        ))}
      </DataTable>
    )}
  </>
);

interface RowProps extends Pick<Props, 'visit' | 'now'> {
  readonly share: Share;
  readonly creator: string;
}

const ShareRow = ({ visit, share, now, creator }: RowProps): Html => (
  <tr>
    <th scope="row">
      {share.label}
      <br />
      <small class="narrow">
        {creator} · opened {formatQuantity(share.opens, 'time')}
      </small>
    </th>
    <td class="wide">{share.purpose === 'fix' ? 'an agent' : 'people'}</td>
    <td class="wide">{creator}</td>
    <td class="wide">
      <FullTime at={share.createdAt} />
    </td>
    <td>
      <FullTime at={share.expiresAt * 1000} />
    </td>
    <td class="number wide">
      {formatCount(share.opens)}
      {share.lastOpenedAt !== undefined && (
        <>
          <br />
          <small>
            last <Ago at={share.lastOpenedAt} now={now} />
          </small>
        </>
      )}
    </td>
    <td>
      {may(visit.person, visit.person.accountId === share.accountId ? 'shares:write' : 'shares:revokeAny') && (
        <AskedButton
          action={linkToShares(visit, share.shareId, 'revoke')}
          open="Revoke…"
          label={`Revoke the share of ${share.label}…`}
          question="The link stops working for everybody at once."
        >
          Revoke this share
        </AskedButton>
      )}
    </td>
  </tr>
);
