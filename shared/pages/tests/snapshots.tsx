/** The pictures of snapshots, which people compare: the expected one, the actual one and their difference. */
import type { Html } from '#shared/engine/html/html.ts';
import type { Artifact } from '#shared/model/results/artifact.ts';
import { Panel } from '#shared/pages/design/parts.tsx';
import type { FileLinks } from './evidence-links.ts';
import { groupSnapshots } from './select-files.ts';

/** The ways to compare the pictures. Some need the script, or a picture of the difference. */
const MODES = [
  { value: 'side', label: 'Side by side' },
  { value: 'slide', label: 'Slider', needs: 'script' },
  { value: 'overlay', label: 'Overlay' },
  { value: 'difference', label: 'Difference', needs: 'diff' },
  { value: 'blink', label: 'Blink' },
] as const;

interface SnapshotsProps {
  readonly links: FileLinks;
  readonly files: readonly Artifact[];
  /** How the pictures differ, if the error says it. */
  readonly note: string | undefined;
}

export const Snapshots = ({ links, files, note }: SnapshotsProps): Html => (
  <>
    {groupSnapshots(files).map(({ name, pictures }, index) => (
      <Panel title="Snapshot" note={[name, index === 0 && note].filter(Boolean).join(': ')} id={`snapshot-${index}`}>
        <ComparedPictures
          links={links}
          name={name}
          index={index}
          pictures={pictures.map(({ part, file }) => ({ part, label: part, file }))}
        />
      </Panel>
    ))}
  </>
);

interface ComparedPicturesProps {
  readonly links: FileLinks;
  readonly name: string;
  /** Tells several comparisons of a page apart. */
  readonly index: number;
  /** The expected picture, the actual one, and perhaps their difference. */
  readonly pictures: readonly { readonly part: string; readonly label: string; readonly file: Artifact }[];
}

/**
 * Compares two pictures: side by side, with a slider, one over the other, alternating, or by their difference. All but
 * the slider work without scripts.
 */
export const ComparedPictures = ({ links, name, index, pictures }: ComparedPicturesProps): Html => (
  <div class="snapshot">
    <div class="row">
      <Modes index={index} hasDiff={pictures.length > 2} />
      <label class="fit">
        <input type="checkbox" name={`natural-${index}`} /> 100 %
      </label>
    </div>
    <section class="pictures" tabindex={0} aria-label={`Pictures of ${name}`}>
      {pictures.map(({ part, label, file }) => (
        <figure class={`shot ${part}`}>
          <a href={links.view(file)} data-view>
            <img src={links.file(file)} alt={`${name}, ${label}`} />
          </a>
          <figcaption>{label}</figcaption>
        </figure>
      ))}
      <input
        type="range"
        class="split"
        name={`split-${index}`}
        min={0}
        max={100}
        value="50"
        aria-label="Where the one picture ends and the other begins"
      />
    </section>
  </div>
);

const Modes = ({ index, hasDiff }: { readonly index: number; readonly hasDiff: boolean }): Html => (
  <fieldset class="segments">
    <legend class="hidden-text">How to compare the pictures</legend>
    {MODES.filter((mode) => hasDiff || !('needs' in mode) || mode.needs !== 'diff').map((mode, place) => (
      <span hidden={'needs' in mode && mode.needs === 'script'}>
        <input
          type="radio"
          id={`${mode.value}-${index}`}
          name={`mode-${index}`}
          value={mode.value}
          checked={place === 0}
        />
        <label for={`${mode.value}-${index}`}>{mode.label}</label>
      </span>
    ))}
  </fieldset>
);
