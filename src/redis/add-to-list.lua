local list, now = KEYS[1], tonumber(ARGV[1])
local endsAt, id, longestLife, keep = tonumber(ARGV[2]), ARGV[3], ARGV[4], tonumber(ARGV[5])
local removeAgain, batch, toRemove = tonumber(ARGV[6]), tonumber(ARGV[7]), {}
local function collect(from, to, most)
  if most <= 0 then return end
  for _, found in ipairs(redis.call('zrangebyscore', list, from, to, 'limit', 0, most)) do
    table.insert(toRemove, found)
  end
end
-- Sessions that have ended.
redis.call('zremrangebyscore', list, 0, now)
-- A newer session has a higher score, even if the clock was set back.
local newest = redis.call('zrange', list, -1, -1, 'withscores')
local score = math.max(endsAt, tonumber(newest[2] or 0) + 0.00001)
redis.call('zadd', list, string.format('%.6f', score), id)
redis.call('expire', list, longestLife)
-- Removals that were not finished, and the oldest sessions that are too many.
collect(removeAgain - now, '(0', batch)
collect(0, '+inf', math.min(redis.call('zcount', list, 0, '+inf') - keep, batch))
for _, found in ipairs(toRemove) do redis.call('zadd', list, -now, found) end
return toRemove
