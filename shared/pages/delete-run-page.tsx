/** Asks before a run is deleted. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { Refusal } from './fields.tsx';
import { runHref, runPageHref } from './hrefs.ts';
import type { RefusedForm } from './view.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly runId: string;
  readonly ciBuildId: string;
  readonly refused: RefusedForm | undefined;
}

export const DeleteRunPage = ({ visit, runId, ciBuildId, refused }: Props): Html => (
  <>
    <h1>Delete the run {ciBuildId}?</h1>
    <Refusal refused={refused} of="submitDeleteRun" />
    <p>Its results, files and history disappear. Nobody can restore them.</p>
    <div class="actions">
      <form method="post" action={runPageHref(visit, runId, 'delete')}>
        <button type="submit" class="danger">
          Delete this run
        </button>
      </form>
      <a href={runHref(visit, runId)}>Keep it</a>
    </div>
  </>
);
