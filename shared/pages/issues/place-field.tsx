/** The field for the project, repository or team of a tracker in which an issue is created. */
import type { Html } from '#shared/engine/html/html.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import { TRACKERS } from '#shared/model/issues/tracker-kind.ts';
import { SelectField, TextField } from '#shared/pages/design/fields.tsx';
import { toSentenceCase } from '#shared/pages/design/format.tsx';
import type { ChosenConnection } from './chosen-connection.ts';

interface Props {
  readonly chosen: ChosenConnection;
  readonly name: string;
  readonly value: string | undefined;
  readonly problem?: string | undefined;
}

/** A choice of the tracker's projects, or a text field if the tracker does not list them. */
export function PlaceField({ chosen: { integration, places }, value, ...field }: Props): Html {
  const { place, places: plural, name: trackerName, placeId } = TRACKERS[integration.kind];
  const label = toSentenceCase(place);
  if (places.problem !== undefined)
    return (
      <TextField
        {...field}
        label={label}
        value={value}
        maxlength={ISSUE_LIMITS.trackerIdCharacters}
        hint={`${trackerName} did not return a list of ${plural}, so enter ${placeId}. ${places.problem}`}
        required
      />
    );
  const options = places.list.map(({ id, key, name: placeName }) => ({
    value: id,
    label: key === placeName ? placeName : `${placeName} (${key})`,
  }));
  const isUnlisted = value !== undefined && options.every((one) => one.value !== value);
  return (
    <SelectField
      {...field}
      label={label}
      value={value}
      options={isUnlisted ? [{ value, label: value }, ...options] : options}
    />
  );
}
