local own, replaced, how, last = ARGV[1], ARGV[2], ARGV[6], tonumber(ARGV[5])
local most, now, at = tonumber(ARGV[3]), tonumber(ARGV[4]), nil
local live = {}
for place, ending in string.gmatch(redis.call('get', KEYS[1]) or '', '(%S+) (%d+)') do
  if tonumber(ending) > now and place ~= replaced then table.insert(live, {place, ending}) end
end
-- The newest count. A place that was taken over goes at the next claim.
while #live > most do table.remove(live, 1) end
for index, one in ipairs(live) do
  if one[1] == own then at = index end
end
local isOver = not at and #live >= most
if isOver and how ~= 'newest' then return 'none-free' end
local result = isOver and 'taken-over' or 'taken'
if how == 'look' then return result end
if at and how == 'newest' then
  table.remove(live, at)
  at = nil
end
if at then live[at][2] = ARGV[5] else table.insert(live, {own, ARGV[5]}) end
local texts = {}
for _, one in ipairs(live) do
  table.insert(texts, one[1] .. ' ' .. one[2])
  last = math.max(last, tonumber(one[2]))
end
redis.call('set', KEYS[1], table.concat(texts, ' '), 'EX', last - now)
return result
