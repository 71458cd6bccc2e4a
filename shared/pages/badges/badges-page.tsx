/** The badges of a project. */

import { BADGE_LIMITS } from '#shared/badges/limits.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { Badge } from '#shared/model/organizations/badge.ts';
import { AskedButton, TextField } from '#shared/pages/design/fields.tsx';
import { CopiedText, EmptyState, GroupHead, PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { FreshForm } from '#shared/pages/shell/fresh-form.tsx';
import { linkToBadge, linkToBadges, linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { isOfDeletedProject } from '#shared/pages/shell/may-add.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import { FormId } from '#shared/pages/shell/shown-once.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props extends WithForms<ProjectVisit> {
  readonly badges: readonly Badge[];
  readonly origin: string;
  readonly formId: string;
  /** The path of the page, without the base path. */
  readonly pathWithQuery: string;
  readonly isFresh: boolean;
}

export function BadgesPage({ visit, badges, origin, formId, pathWithQuery, isFresh, refused }: Props): Html {
  const { field } = readFormEntries(refused, 'submitNewBadge');
  return (
    <>
      <PageHead
        title="Badges"
        meta="A badge is an image that shows the result of the latest complete run of a branch, for a README or a wiki."
      />
      {badges.length === 0 ? (
        <EmptyState icon="image" title="No badges yet">
          <p>Anyone who knows the URL of a badge can see the latest result of its branch, and nothing else.</p>
        </EmptyState>
      ) : (
        badges.map((badge) => <BadgePanel visit={visit} badge={badge} origin={origin} />)
      )}
      {!isOfDeletedProject(visit) && (
        <>
          <GroupHead title="New badge" />
          <FreshForm
            visit={visit}
            isOpen={isFresh || refused?.operationId === 'submitNewBadge'}
            returnTo={pathWithQuery}
            form="submitNewBadge"
            action="create a badge"
          >
            <form method="post" action={linkToBadges(visit)}>
              <RefusalMessage refused={refused} of="submitNewBadge" />
              <FormId formId={formId} />
              <TextField label="Branch" {...field('branch', visit.project.defaultBranchName)} required />
              <TextField label="Label" {...field('label', 'tests')} maxlength={BADGE_LIMITS.labelCharacters} required />
              <button type="submit">Create badge</button>
            </form>
          </FreshForm>
        </>
      )}
    </>
  );
}

interface PanelProps extends Pick<Props, 'visit' | 'origin'> {
  readonly badge: Badge;
}

const BadgePanel = ({ visit, badge, origin }: PanelProps): Html => {
  const picture = linkToBadge(visit, badge.badgeId);
  const runs = linkToRuns(visit, { 'branches[]': [badge.branch] });
  const at = (href: string) => origin + href.slice(visit.base.length);
  const markdown = `[![${badge.label}](${at(picture)})](${at(runs)})`;
  return (
    <Panel
      title={badge.branch}
      actions={
        <AskedButton
          action={linkToBadges(visit, badge.badgeId, 'revoke')}
          open="Revoke…"
          label={`Revoke the badge ${badge.label} of ${badge.branch}…`}
          question="Pages that show this badge will show a broken picture."
        >
          Revoke this badge
        </AskedButton>
      }
    >
      <p>
        <img src={picture} alt={`The badge ${badge.label} of ${badge.branch}`} height={20} />
      </p>
      <CopiedText text={markdown} label={`Copy the Markdown of ${badge.label}`} />
    </Panel>
  );
};
