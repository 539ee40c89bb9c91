/** The units of times in JSON are seconds, those of JavaScript are milliseconds. */
export const MS_PER_SECOND = 1000
export const SECONDS_PER_HOUR = 3600
export const SECONDS_PER_DAY = 86_400
