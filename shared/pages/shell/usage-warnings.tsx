/** What Admins see on each page when the organization has used up its requests or its storage, or soon will. */
import type { Html } from '#shared/engine/html/html.ts';
import { formatRate } from '#shared/pages/design/format.tsx';
import { Notice } from '#shared/pages/design/parts.tsx';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';
import { USAGE_LIMITS } from '#shared/usage/limits.ts';
import type { UsageWarning } from '#shared/usage/warnings.ts';
import { linkToOrganizationSettings } from './hrefs.ts';

export const UsageWarnings = ({ visit }: { readonly visit: OrganizationVisit }): Html => (
  <>
    {visit.usageWarnings.map((warning) => (
      <Notice tone={isExceeded(warning) ? 'failed' : 'flaky'}>
        {visit.organizationName} has used {formatRate(warning.used / warning.limit)} of{' '}
        {warning.of === 'requests' ? 'its requests for this month' : 'its storage'}. {explainRefusals(warning)}
        <a href={linkToOrganizationSettings(visit, 'usage')}>Usage</a>
      </Notice>
    ))}
  </>
);

const isExceeded = ({ refuses, used, limit }: UsageWarning): boolean => refuses && used >= limit;

/** Ends with a space, because a link follows. Empty as long as nothing is refused. */
function explainRefusals(warning: UsageWarning): string {
  const { of, used, limit, refuses } = warning;
  if (!refuses) return 'Nothing is refused, because no other organization uses this service. ';
  if (!isExceeded(warning)) return '';
  if (of === 'storage') return 'Results are recorded without their files. ';
  return used < USAGE_LIMITS.recordingReserve * limit
    ? 'Requests are refused, and soon results will not be recorded either. '
    : 'Requests are refused, and results are not recorded. ';
}
