/** The picture that shows a failure best, on the pages of runs and pull requests. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ShownFiles } from '#shared/model/results/shown-files.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import { linkToInstanceFile, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { isDifference, rankPicture } from '#shared/pages/tests/file-section.tsx';
import type { ComparedTest } from '#shared/results/comparisons/comparison-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Picture {
  readonly objectName: string;
  /** Whether it shows how a snapshot differs, instead of the page. */
  readonly isDifference: boolean;
}

export type PictureOf = (of: Pick<ComparedTest, 'instanceId' | 'testId'>) => Picture | undefined;

/** Returns a function that finds the best picture of a test's last attempt that has pictures. */
export function makePictureFinder(shownFiles: readonly ShownFiles[]): PictureOf {
  const byInstance = new Map(shownFiles.map((files) => [files.instanceId, Object.entries(files.pictures)]));
  return ({ instanceId, testId }) =>
    byInstance
      .get(instanceId)
      ?.filter(([, { d, b }]) => d === testId && b !== null)
      .map(([objectName, { a: attempt, n: name, f: fileName }]) => ({
        objectName,
        attempt,
        isDifference: isDifference({ name, fileName }),
        worth: rankPicture({ name, fileName }),
      }))
      .filter(({ worth }) => worth > 0)
      .toSorted((one, other) => one.attempt - other.attempt || one.worth - other.worth)
      .at(-1);
}

interface Props {
  readonly visit: ProjectVisit;
  readonly test: ComparedTest;
  readonly picture: Picture;
}

export const FailurePicture = ({ visit, test, picture }: Props): Html => (
  <figure class="shot">
    <a href={linkToTestOfRun(visit, test)}>
      <img
        src={linkToInstanceFile(visit, test.instanceId, picture.objectName)}
        alt={`${picture.isDifference ? 'Difference of a snapshot' : 'Screenshot'} of ${test.title.at(-1) ?? 'the test'}`}
        width={218}
        height={136}
        loading="lazy"
      />
    </a>
    <figcaption>
      <Icon name="camera" size="small" />
      {picture.isDifference ? 'How the snapshot differs' : 'Screenshot at the time of the failure'}
    </figcaption>
  </figure>
);
