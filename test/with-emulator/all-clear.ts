/**
 * Matches the text of a doctor without a finding. A program on a busy machine may answer slowly, which the doctor rightly
 * warns of, once for the screen and once for the sign-ins.
 */
export const ALL_CLEAR =
  /Viewers will get through(, if [^,]+, [^,]+ ago)?\. \(|takes \d\.\d s to answer\..*Viewers will get through(, if [^,]+, [^,]+ ago)?, but see the warnings\. \(\d+ checks: 0 failures, 0 unknown, [12] warnings?\)/s
