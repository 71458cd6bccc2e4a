/**
 * The page of the sharing settings: how long results may be shared with outsiders, and whether AI tools may read
 * failures.
 */
import type { Html } from '#shared/engine/html/html.ts';
import type { SharingSettings } from '#shared/organizations/sharing-settings.ts';
import { CheckField, SelectField } from '#shared/pages/design/fields.tsx';
import { formatQuantity } from '#shared/pages/design/format.tsx';
import { PageHead } from '#shared/pages/design/parts.tsx';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import { SHARE_LIMITS } from '#shared/shares/limits.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';

interface Props extends WithForms<OrganizationVisit> {
  readonly settings: SharingSettings;
}

export const SharingPage = ({ visit, settings, refused }: Props): Html => (
  <>
    <PageHead title="Sharing and AI" meta={`What people and tools outside ${visit.organizationName} can see.`} />
    <form method="post" action={linkToOrganizationSettings(visit, 'sharing')}>
      <RefusalMessage refused={refused} of="submitSharing" />
      <SelectField
        label="Shares"
        name="shareDays"
        value={String(settings.shareDays)}
        options={[
          { value: '0', label: 'No shares' },
          ...SHARE_LIMITS.days.map((days) => ({
            value: String(days),
            label: `Up to ${formatQuantity(days, 'day')}`,
          })),
        ]}
        hint="A share is a link to one result that works without an account. If you choose a shorter time, it also applies to existing links"
      />
      <CheckField
        label="AI tools may read failures: through MCP, as Markdown, and through shares for agents"
        name="aiMayRead"
        value="true"
        checked={settings.aiMayRead}
      />
      <button type="submit">Save</button>
    </form>
  </>
);
