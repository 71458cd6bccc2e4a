/** The picture that shows a failure best, on the pages of runs and pull requests. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ShownFiles } from '#shared/model/results/shown-files.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import { linkToInstanceFile, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { isDifference, rankPicture } from '#shared/pages/tests/select-files.ts';
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
  const picturesOf = new Map(shownFiles.map((files) => [files.instanceId, listPictures(files)]));
  return ({ instanceId, testId }) =>
    picturesOf
      .get(instanceId)
      ?.filter((picture) => picture.testId === testId && picture.hasArrived && picture.rank > 0)
      .toSorted((one, other) => one.attempt - other.attempt || one.rank - other.rank)
      .at(-1);
}

/** The attributes of the rows have names of one letter. */
const listPictures = ({ pictures }: ShownFiles) =>
  Object.entries(pictures).map(([objectName, { n: name, f: fileName, d: testId, a: attempt, b: bytes }]) => ({
    objectName,
    testId,
    attempt,
    hasArrived: bytes !== null,
    isDifference: isDifference({ name, fileName }),
    rank: rankPicture({ name, fileName }),
  }));

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
