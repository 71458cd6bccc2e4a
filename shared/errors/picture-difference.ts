/** How two compared pictures differ, as Playwright and Vitest say it. */

export interface PictureDifference {
  readonly pixels: number | undefined;
  /** The share of all pixels, from 0 to 1. */
  readonly ratio: number | undefined;
  /** The sizes, if they differ, such as `200 x 24`. */
  readonly sizes: { readonly expected: string; readonly received: string } | undefined;
}

const PIXELS = /(?:^|\s)(\d{1,12}) pixels (?:\(ratio (\d(?:\.\d{1,6})?) of all image pixels\) )?are different/;
const SIZES = /Expected an image (\d{1,6})px by (\d{1,6})px, received (\d{1,6})px by (\d{1,6})px/;

/** `undefined` for a text that says nothing about pictures. */
export function readPictureDifference(text: string): PictureDifference | undefined {
  const [, pixels, ratio] = PIXELS.exec(text) ?? [];
  const [sizesText, width, height, receivedWidth, receivedHeight] = SIZES.exec(text) ?? [];
  if (pixels === undefined && sizesText === undefined) return undefined;
  const sizes = { expected: `${width} x ${height}`, received: `${receivedWidth} x ${receivedHeight}` };
  return {
    pixels: pixels === undefined ? undefined : Number(pixels),
    ratio: ratio === undefined ? undefined : Number(ratio),
    sizes: sizesText === undefined ? undefined : sizes,
  };
}
