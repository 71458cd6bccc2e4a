/** The minimum time between two progress messages. */
const MILLISECONDS = 2000;

/** Calls `act` at most once every two seconds. */
export function everyTwoSeconds<Progress>(act: (soFar: Progress) => void): (soFar: Progress) => void {
  let last = performance.now();
  return (soFar) => {
    if (performance.now() - last < MILLISECONDS) return;
    last = performance.now();
    act(soFar);
  };
}
