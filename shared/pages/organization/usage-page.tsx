/** What an organization has used of its limits: requests per day and credential, and stored bytes. */
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { KnownMember } from '#shared/organizations/members.ts';
import { DataTable, numbers, wideNumbers } from '#shared/pages/design/data-table.tsx';
import {
  FullTime,
  formatCount,
  formatDate,
  formatRate,
  formatShortDate,
  formatSize,
} from '#shared/pages/design/format.tsx';
import { EmptyState, PageHead, Panel, Segments, Summary, Tile } from '#shared/pages/design/parts.tsx';
import { TimeChart } from '#shared/pages/design/time-chart.tsx';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';
import { USAGE_LIMITS } from '#shared/usage/limits.ts';
import type { Usage } from '#shared/usage/read-usage.ts';

interface Props {
  readonly visit: OrganizationVisit;
  readonly usage: Usage;
  /** Whether the page shows the previous month instead of the current one. */
  readonly isPrevious: boolean;
  readonly people: readonly KnownMember[];
}

export const UsagePage = ({ visit, usage, isPrevious, people }: Props): Html => {
  const href = linkToOrganizationSettings(visit, 'usage');
  return (
    <>
      <PageHead
        title="Usage"
        meta="Requests with API keys and tokens, and the files in storage. Page views are not counted. Request counts are estimated from samples, so small numbers are rough."
        actions={
          <Segments
            label="Month"
            choices={[
              { name: 'This month', href, isCurrent: !isPrevious },
              { name: 'Previous month', href: `${href}?month=previous`, isCurrent: isPrevious },
            ]}
          />
        }
      />
      <Numbers usage={usage} isPrevious={isPrevious} />
      <Panel title="Requests per day" note={formatMonth(usage)}>
        <TimeChart
          label={`Requests per day, ${formatMonth(usage)}`}
          series={[{ name: 'requests', tone: 'c1' }]}
          buckets={usage.days.map(({ at, requests }) => ({ name: formatShortDate(at), values: [requests] }))}
        />
      </Panel>
      <Credentials usage={usage} people={people} />
      <Limits visit={visit} usage={usage} isPrevious={isPrevious} />
    </>
  );
};

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

const formatMonth = ({ month }: Usage): string => MONTH.format(new Date(`${month}-01T00:00:00Z`));

const pickTone = (amount: number, limit: number) => {
  if (amount >= limit) return 'failed' as const;
  return amount >= USAGE_LIMITS.warnFrom * limit ? ('flaky' as const) : undefined;
};

const Numbers = ({ usage, isPrevious }: Pick<Props, 'usage' | 'isPrevious'>): Html => {
  const { requests, refused, storedBytes, measuredAt, limits } = usage;
  return (
    <Summary>
      <Tile
        label="Requests"
        value={formatCount(requests)}
        tone={isPrevious ? undefined : pickTone(requests, limits.requestsPerMonth)}
        note={
          isPrevious
            ? formatMonth(usage)
            : `${formatRate(requests / limits.requestsPerMonth)} of ${formatCount(limits.requestsPerMonth)} until ${formatDate(usage.endsAt)}`
        }
      />
      <Tile
        label="Refused requests"
        value={formatCount(refused)}
        tone={refused > 0 ? 'failed' : undefined}
        note="above a limit, answered with 429"
      />
      <Tile
        label="Stored files"
        value={formatSize(storedBytes)}
        tone={pickTone(storedBytes, limits.storedBytes)}
        note={
          <>
            {formatRate(storedBytes / limits.storedBytes)} of {formatSize(limits.storedBytes)}
            {measuredAt !== undefined && (
              <>
                , measured <FullTime at={measuredAt} />
              </>
            )}
          </>
        }
      />
    </Summary>
  );
};

const Credentials = ({ usage, people }: Pick<Props, 'usage' | 'people'>): Html => {
  const { credentials, requests } = usage;
  if (credentials.length === 0)
    return (
      <EmptyState icon="key-round" title="No requests were counted">
        <p>
          Only one in {formatCount(USAGE_LIMITS.sampleEvery)} requests of a key is counted, so a few requests may not
          appear.
        </p>
      </EmptyState>
    );
  const visibleCredentials = credentials.slice(0, SHOWN_CREDENTIALS);
  const rest = credentials.length - visibleCredentials.length;
  const names = new Map(people.map(({ member, account }) => [member.accountId, account?.name]));
  return (
    <Panel
      title="By key"
      note={rest > 0 ? `the busiest ${SHOWN_CREDENTIALS}; not shown: ${formatCount(rest)}` : ''}
      isFlush
    >
      <DataTable label="Requests by key" columns={['Key', ...numbers('Requests'), ...wideNumbers('Share')]}>
        {visibleCredentials.map((credential) => (
          <tr>
            <th scope="row">{formatCredentialName(credential, names)}</th>
            <td class="number">{formatCount(credential.requests)}</td>
            <td class="number wide">{requests === 0 ? '' : formatRate(credential.requests / requests)}</td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
};

const SHOWN_CREDENTIALS = 50;

function formatCredentialName(
  { kind, label, accountId = '' }: Usage['credentials'][number],
  names: ReadonlyMap<string, string | undefined>,
): string {
  const owner = names.get(accountId) ?? 'a former member';
  switch (kind) {
    case 'apiKey':
      return label ?? 'API key';
    case 'personalToken':
      return `Token of ${owner}`;
    case 'accessToken':
      return `Applications of ${owner}`;
  }
}

const Limits = ({ visit, usage, isPrevious }: Pick<Props, 'visit' | 'usage' | 'isPrevious'>): Html => {
  const { limits, requests, storedBytes } = usage;
  const reserve = formatRate(USAGE_LIMITS.recordingReserve - 1);
  return (
    <Panel title="Limits" id="limits">
      <ul>
        <li>
          {formatCount(limits.requestsPerMonth)} requests per calendar month (UTC)
          {!isPrevious && `, ${formatRate(requests / limits.requestsPerMonth)} of them used`}. Above it, requests are
          answered with 429 until the month ends. Results are still recorded until the limit is exceeded by {reserve}.
        </li>
        <li>
          {formatCount(limits.keyRequestsPerMinute)} requests per minute with one key. Above it, requests with this key
          are answered with 429 for up to {USAGE_LIMITS.windowMilliseconds / 1000} seconds. Other keys are not affected,
          and results are recorded as long as the organization has room.
        </li>
        <li>
          {formatSize(limits.storedBytes)} of stored files, {formatRate(storedBytes / limits.storedBytes)} used. Above
          it, results are recorded without their files. Delete the files of old runs, or let projects keep files for a
          shorter time.
        </li>
      </ul>
      {may(visit.person, 'organizations:change') && (
        <p>
          The operator of this service can change these limits:{' '}
          <code>npm run admin -- organizations limits --organization {visit.organizationId}</code>
        </p>
      )}
    </Panel>
  );
};
