/** Errors that only pages for people answer. */
import { ApiError } from './errors.ts';

// 409
/** A form that creates something works once. Browsers send it again when its answer is reloaded. */
export const alreadySubmitted = () =>
  new ApiError(
    409,
    'This form was sent already, and nothing was created again. If it showed a value, that value is not shown twice. Fill in the form again to create another',
  );
